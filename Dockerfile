# An image with nothing but clawctl, from the binary that `make build notices` makes. `make image` builds it.
#
# Give it the state folder read-only, a place for temporary files, and no network:
#
#   docker run --rm --network none --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" \
#     -v ~/.openclaw:/home/clawctl/.openclaw:ro clawctl sessions
#
# To import, add a folder for the store: -v ~/.local/share/clawctl:/home/clawctl/.local/share/clawctl
FROM scratch
COPY --chmod=644 LICENSE bin/THIRD_PARTY_NOTICES /usr/share/doc/clawctl/
COPY --chmod=755 bin/clawctl /usr/bin/clawctl
ENV HOME=/home/clawctl PATH=/usr/bin
USER 65532:65532
WORKDIR /home/clawctl
ENTRYPOINT ["/usr/bin/clawctl"]
