export { initVimMode } from 'monaco-vim';
