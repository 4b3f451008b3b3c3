/* Brings the loopback interface of a fresh network namespace up, then becomes the command behind it. */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (argc < 2 || any < 0 || ioctl(any, SIOCSIFFLAGS, &request) != 0) return 126;
    execvp(argv[1], argv + 1);
    return 127;
}
