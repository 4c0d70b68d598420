-- Marks a gateway as present, and reads which generation of counters is in use.
--
-- KEYS  1 the generation in use   2 when each gateway was last present
-- ARGV  1 gateway, or "" for none   2 "1" to forget gateways that are not among the following, or ""
--       then the gateways that hold a lease
-- Gives {generation or "", milliseconds since the gateway that has been away longest was present}.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if ARGV[1] ~= '' then
  redis.call('ZADD', KEYS[2], now, ARGV[1])
end
if ARGV[2] == '1' then
  local leased = {}
  for index = 3, #ARGV do
    leased[ARGV[index]] = true
  end
  for _, gateway in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - 10000)) do
    if not leased[gateway] then
      redis.call('ZREM', KEYS[2], gateway)
    end
  end
end
local oldest = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
return { redis.call('GET', KEYS[1]) or '', oldest[2] and now - tonumber(oldest[2]) or 0 }
