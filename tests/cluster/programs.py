"""Programs that run in pods of the cluster: they print one line of JSON, and need Python alone."""

from typing import Final

LOAD: Final = """
import collections, json, sys, threading, time, urllib.error, urllib.request
url, key, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "category.list", "arguments": {}}}).encode()
headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
results, deadline = collections.Counter(), time.monotonic() + seconds

def calls():
    while time.monotonic() < deadline:
        try:
            request = urllib.request.Request(url, body, headers)
            with urllib.request.urlopen(request, timeout=30) as response:
                failed = b'"isError":true' in response.read()
                results["failed" if failed else "good"] += 1
        except urllib.error.HTTPError as error:
            results[str(error.code)] += 1
        except OSError as error:
            results[type(error).__name__] += 1
        time.sleep(1)

threads = [threading.Thread(target=calls) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(results))
"""
"""Calls with a key for some seconds, four a second at most; counts results."""

REACH: Final = """
import json, socket, sys
reached = {}
for target in sys.argv[1:]:
    host, _, port = target.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=4).close()
        reached[target] = True
    except OSError:
        reached[target] = False
print(json.dumps(reached))
"""
"""Whether each host:port takes a connection."""
