#!/bin/bash
# healthcheck URL…: ends with 0 when every URL responds as it should, for container engines, every few seconds.
# `grpc://host:port` has to report SERVING by gRPC's health protocol, `http://host:port/path` has to respond with 2xx.
# It starts no other program: bash speaks TCP by itself, while Python would burn a third of a second each time.
LC_ALL=C
seconds=${HEALTHCHECK_SECONDS:-10}

# HTTP/2 as bytes: the preface, empty SETTINGS, HEADERS of stream 1, and DATA with an empty HealthCheckRequest.
grpc_request='PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'
grpc_request+='\0\0\x4b\x01\x04\0\0\0\x01\x83\x86\x04\x1c/grpc.health.v1.Health/Check\x01\x09localhost'
grpc_request+='\x0f\x10\x10application/grpc\0\x02te\x08trailers'
grpc_request+='\0\0\x05\0\x01\0\0\0\x01\0\0\0\0\0'

grpc_serves() {
  local chunk
  printf "$grpc_request" >&3
  # Up to the next NUL each: the message is 00 00 00 00 02 08 STATUS, and the next frame begins with 00.
  while IFS= read -r -d '' -t "$seconds" chunk <&3; do
    case $chunk in
      $'\x02\x08\x01') return 0 ;;
      $'\x02\x08'*) return 1 ;;
    esac
  done
  return 1
}

http_succeeds() {
  local line
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$1" "$address" >&3
  IFS= read -r -t "$seconds" line <&3 && [[ $line == HTTP/1.?' '2* ]]
}

[[ $# -gt 0 ]] || { echo "usage: healthcheck URL..." >&2; exit 2; }
for url; do
  rest=${url#*://}
  address=${rest%%/*}
  { exec 3<>"/dev/tcp/${address%:*}/${address##*:}"; } 2>/dev/null || { echo "$url: no connection"; exit 1; }
  case $url in
    grpc://*) grpc_serves || { echo "$url: does not serve"; exit 1; } ;;
    http://*) http_succeeds "/${rest#*/}" || { echo "$url: no success"; exit 1; } ;;
    *) echo "$url: only grpc and http are known"; exit 1 ;;
  esac
  exec 3>&-
done
