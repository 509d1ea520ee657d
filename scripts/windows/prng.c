/* ProcessPrng of bcryptprimitives.dll, which Go programs ask for random bytes, and which wine 8 does not have. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
