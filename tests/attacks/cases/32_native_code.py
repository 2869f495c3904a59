# 32: writes machine code into the C library and into fresh memory, and calls the kernel from there
# ends as: WA
# shows: overwrote a function of the C library: 4242
# shows: fork from machine code: -1
# shows: a program from machine code: -1
import ctypes
import mmap
import platform

libc = ctypes.CDLL(None, use_errno=True)
INTEL = platform.machine() == "x86_64"
PAGE = mmap.PAGESIZE


def returning_4242():
    if INTEL:  # mov eax, 4242; ret
        return bytes.fromhex("b892100000c3")
    return b"".join(word.to_bytes(4, "little") for word in (0x52821240, 0xD65F03C0))


def calling_kernel():
    """number in the first argument, then three words: ``long f(number, a, b, c)``."""
    if INTEL:  # mov rax, rdi; mov rdi, rsi; mov rsi, rdx; mov rdx, rcx; syscall; ret
        return bytes.fromhex("4889f84889f74889d64889ca0f05c3")
    words = (0xAA0003E8, 0xAA0103E0, 0xAA0203E1, 0xAA0303E2, 0xD4000001, 0xD65F03C0)
    return b"".join(word.to_bytes(4, "little") for word in words)


def overwrite():
    address = ctypes.cast(libc.getppid, ctypes.c_void_p).value
    start = address - address % PAGE
    if libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(2 * PAGE), 7):
        return "mprotect refused"
    code = returning_4242()
    ctypes.memmove(address, code, len(code))
    return libc.getppid()


print("overwrote a function of the C library:", overwrite())
memory = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(calling_kernel())
entry = ctypes.addressof(ctypes.c_char.from_buffer(memory))
kernel = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 4)(entry)
print("fork from machine code:", kernel(56 if INTEL else 220, 17, 0, 0))
program = ctypes.create_string_buffer(b"/bin/true")
print("a program from machine code:", kernel(59 if INTEL else 221, ctypes.addressof(program), 0, 0))
print("a socket from machine code:", kernel(41 if INTEL else 198, 2, 1, 0))


def weighted(rows, weigh):
    return rows
