# The tool in an image: "docker build -t plumb ." and "docker run --rm -v "$PWD:/data" plumb evaluate --probs p.npy --labels y.npy".
FROM debian:12-slim AS build
COPY . /plumb
RUN /plumb/tools/image build

FROM debian:12-slim
COPY --from=build /plumb/tools/image /plumb/dist/*.deb /package/
RUN cd /package && ./image install && rm -rf /package
# Not as root: what it writes into /data belongs to whoever runs it with --user.
RUN useradd --create-home plumb
USER plumb
WORKDIR /data
ENTRYPOINT ["plumb"]
