"""What the set-up says, in both languages. Any python3 must be able to read this file."""

WORDS = {
    "en": {
        "sizes": "Set-up: PyTorch about 0.2 GB to download and 0.9 GB on disk, other packages about 0.1 GB. "
        "Only the first run takes minutes.",
        "python": "{version} found; this needs Python 3.11 to 3.14. Install one, or name it: PYTHON=python3.12 make serve",
        "venv": "Python at {python} cannot make a virtual environment. Debian and Ubuntu: sudo apt install python{version}-venv, "
        "then run this again.",
        "space": "Only {free:.1f} GB free at {path}; set-up needs {need:.1f} GB. Free some space, then run this again.",
        "step_venv": "[1/5] making .venv with Python {version}",
        "step_packages": "[2/5] installing packages ({what})",
        "step_torch": "[3/5] installing PyTorch {version}, {kind}",
        "step_bundle": "[4/5] building the editor",
        "step_database": "[5/5] preparing the database",
        "torch_plain": "as pip plans it",
        "torch_cpu": "CPU build (no NVIDIA driver here)",
        "torch_stop": "PyTorch could not be installed from {index}. Plain pip would bring the CUDA build, 3 to 4 GB, and this machine "
        "has no NVIDIA driver. Choices: TORCH_INDEX=<an index or mirror with CPU wheels> make serve, or "
        "TORCH_INDEX=default make serve to take the large build after all.",
        "pip": "pip could not install {what}; its last words: {error}\nCheck the network or pip's proxy and index settings, "
        "then run this again: what is done stays done.",
        "bundle": "The editor could not be built; the site will use a plain text area. Why: {error}",
        "database": "The database could not be prepared: {error}",
        "not_ready": "The judge is not set up yet: run `make serve` or `python3 practice/judge.py serve` once (it installs everything into .venv).",
        "busy": "Another set-up is running in this folder; waiting for it.",
        "write": "Cannot write to {path}: {error}. Clone the project to a folder that you own, then run this again.",
    },
    "zh": {
        "sizes": "开始安装：PyTorch 下载约 0.2 GB、占磁盘约 0.9 GB，其余依赖约 0.1 GB。只有第一次需要几分钟。",
        "python": "找到的是 {version}；本项目需要 Python 3.11 到 3.14。请安装其中之一，或指定路径：PYTHON=python3.12 make serve",
        "venv": "{python} 不能创建虚拟环境。Debian 或 Ubuntu 请先运行 sudo apt install python{version}-venv，再重试。",
        "space": "{path} 只剩 {free:.1f} GB 空间，安装需要 {need:.1f} GB。请腾出空间后重试。",
        "step_venv": "[1/5] 用 Python {version} 创建 .venv",
        "step_packages": "[2/5] 安装依赖（{what}）",
        "step_torch": "[3/5] 安装 PyTorch {version}，{kind}",
        "step_bundle": "[4/5] 构建编辑器",
        "step_database": "[5/5] 准备数据库",
        "torch_plain": "按 pip 的方案",
        "torch_cpu": "CPU 版（这台机器没有 NVIDIA 驱动）",
        "torch_stop": "无法从 {index} 安装 PyTorch。直接用 pip 会装上 3 到 4 GB 的 CUDA 版，而这台机器没有 NVIDIA 驱动。"
        "可选：TORCH_INDEX=<提供 CPU 版的索引或镜像> make serve；或 TORCH_INDEX=default make serve，仍然安装大的版本。",
        "pip": "pip 无法安装 {what}，最后的输出是：{error}\n请检查网络，或 pip 的代理与镜像设置，然后重试；已完成的步骤不会重做。",
        "bundle": "编辑器没有构建成功，网页会改用普通文本框。原因：{error}",
        "database": "数据库没有准备好：{error}",
        "not_ready": "评测环境还没有安装：请先运行一次 `make serve` 或 `python3 practice/judge.py serve`（会把依赖装进 .venv）。",
        "busy": "这个目录里正在进行另一次安装，等它结束。",
        "write": "无法写入 {path}：{error}。请把项目克隆到自己有权限的目录，再重试。",
    },
}
