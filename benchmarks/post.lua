-- POSTs of one workload for wrk. Arguments: file with the words, number of the first one, bearer
-- token, text before and text after the word. Prints a line of figures that wrk.py reads.
local words, place, before, after = {}, 0, "", ""

function init(arguments)
  for line in io.lines(arguments[1]) do
    words[#words + 1] = line
  end
  if #words == 0 then
    words[1] = ""
  end
  place = tonumber(arguments[2])
  wrk.headers["Authorization"] = "Bearer " .. arguments[3]
  before, after = arguments[4], arguments[5]
  for index = 6, #arguments, 2 do
    wrk.headers[arguments[index]] = arguments[index + 1]
  end
  wrk.method = "POST"
end

function request()
  local word = words[place % #words + 1]
  place = place + 1
  return wrk.format(nil, nil, nil, before .. word .. after)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "FIGURES %d %d %f %f %d\n",
    summary.requests,
    summary.duration,
    latency:percentile(50),
    latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status
  ))
end
