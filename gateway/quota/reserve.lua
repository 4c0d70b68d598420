-- Admits or refuses calls, one after the other: burst bucket, month's counter and ledger entry of each.
--
-- KEYS  1 ledger stream   2 the catalogue's version   3 the generation of the counters in use
--       then for each call: its account's burst bucket, and its account's counters without the month
-- ARGV  1 clock in microseconds, or "" for the server's (only tests give one)
--       then for each call: entry id, account, credential, tool, cost,
--       requests a month, bucket size, refill a second,
--       seed: requests used before the counter existed, or "",
--       the generation that must be in use, or "" for any
-- Gives {now in microseconds, month, month's end in seconds, the catalogue's version or "",
--        then for each call: outcome, remaining, wait in milliseconds}.
--
-- All keys share a hash tag, so the counters, whose names have the month, are in the slot of the declared
-- ones.

local FIELDS = 10

local micros
if ARGV[1] ~= '' then
  micros = tonumber(ARGV[1])
else
  local time = redis.call('TIME')
  micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local seconds = math.floor(micros / 1000000)

-- Days since 1970-01-01 to the civil year and month, and back, by eras of 400 years that begin in March.
local function civil(days)
  local shifted = days + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460)
    + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era
    - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local from_march = math.floor((5 * day_of_year + 2) / 153)
  local month = from_march < 10 and from_march + 3 or from_march - 9
  local year = year_of_era + era * 400
  return month <= 2 and year + 1 or year, month
end

local function first_day(year, month)
  local shifted = month <= 2 and year - 1 or year
  local era = math.floor(shifted / 400)
  local year_of_era = shifted - era * 400
  local from_march = month > 2 and month - 3 or month + 9
  local day_of_year = math.floor((153 * from_march + 2) / 5)
  local day_of_era = year_of_era * 365 + math.floor(year_of_era / 4)
    - math.floor(year_of_era / 100) + day_of_year
  return era * 146097 + day_of_era - 719468
end

local year, month_number = civil(math.floor(seconds / 86400))
local month = string.format('%04d-%02d', year, month_number)
local following = month_number == 12 and first_day(year + 1, 1) or first_day(year, month_number + 1)
local month_end = following * 86400
local keep_until = month_end + 7 * 86400
local now = string.format('%.0f', micros)

local known = redis.call('MGET', KEYS[2], KEYS[3])
local version, in_use = known[1] or '', known[2]
-- A replica has the key too: a generation belongs to one run of one server.
local server = in_use and redis.pcall('INFO', 'server')
local run = type(server) == 'string' and string.match(server, 'run_id:(%w+)')
if run and string.sub(in_use, -#run) ~= run then
  in_use = 'of another run'
end
-- In a cluster the run of the shard's server stands behind the generation.
in_use = in_use and string.match(in_use, '^[^/]*')

local function admit(burst, counter, entry, account, credential, tool, cost, limit, size, refill, seed, generation)
  if generation ~= '' and generation ~= in_use then
    return 'closed', 0, 0
  end
  cost, limit, size, refill = tonumber(cost), tonumber(limit), tonumber(size), math.max(0.001, tonumber(refill))
  local stored = redis.call('GET', counter)
  if not stored then
    if seed == '' then
      return 'unseeded', 0, 0
    end
    stored = seed
    redis.call('SET', counter, stored, 'EXAT', keep_until)
  end
  local used = tonumber(stored)
  local remaining = math.max(0, limit - used)
  if cost > 0 and used + cost > limit then
    return 'quota_exceeded', remaining, 0
  end

  local bucket = redis.call('HMGET', burst, 'tokens', 'at')
  local tokens = tonumber(bucket[1]) or size
  local at = tonumber(bucket[2]) or micros
  tokens = math.min(size, tokens + math.max(0, micros - at) / 1000000 * refill)
  if tokens < 1 then
    return 'rate_limited', remaining, math.ceil((1 - tokens) / refill * 1000)
  end
  redis.call('HSET', burst, 'tokens', string.format('%.6f', tokens - 1), 'at', now)
  redis.call('PEXPIRE', burst, math.ceil(size / refill * 1000) + 1000)

  if cost > 0 then
    remaining = math.max(0, limit - redis.call('INCRBY', counter, cost))
    redis.call('XADD', KEYS[1], '*', 'entry_id', entry, 'account_id', account,
      'credential_id', credential, 'tool', tool, 'admitted_at', now, 'cost', cost)
  end
  return 'admitted', remaining, 0
end

local reply = { now, month, month_end, version }
for call = 1, (#KEYS - 3) / 2 do
  local outcome, remaining, wait = admit(KEYS[2 * call + 2], KEYS[2 * call + 3] .. month,
    unpack(ARGV, (call - 1) * FIELDS + 2, call * FIELDS + 1))
  reply[#reply + 1] = outcome
  reply[#reply + 1] = remaining
  reply[#reply + 1] = wait
end
return reply
