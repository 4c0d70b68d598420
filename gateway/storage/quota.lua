-- Admits or refuses one call: burst bucket, month's counter and ledger entry in one atomic step.
--
-- KEYS  1 burst bucket of the account   2 counters of the account, the month is appended   3 ledger stream
--       4 the catalogue's version
-- ARGV  1 entry id  2 account  3 credential  4 tool  5 cost
--       6 requests a month  7 bucket size  8 refill a second
--       9 seed: requests used before the counter existed, or ""
--      10 clock in microseconds, or "" for the server's (only tests give one)
-- Gives {outcome, month, now in microseconds, month's end in seconds, remaining, wait in milliseconds,
--        the catalogue's version or ""}.
--
-- All keys share a hash tag, so the counter, whose name has the month, is in the slot of the declared ones.

local cost = tonumber(ARGV[5])
local limit = tonumber(ARGV[6])
local bucket_size = tonumber(ARGV[7])
local refill = math.max(0.001, tonumber(ARGV[8]))

local micros
if ARGV[10] ~= '' then
  micros = tonumber(ARGV[10])
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
local counter = KEYS[2] .. month
local keep_until = month_end + 7 * 86400

local function answer(outcome, remaining, wait)
  local version = redis.call('GET', KEYS[4]) or ''
  return { outcome, month, string.format('%.0f', micros), month_end, remaining, wait or 0, version }
end

local stored = redis.call('GET', counter)
if not stored then
  if ARGV[9] == '' then
    return answer('unseeded', 0)
  end
  stored = ARGV[9]
  redis.call('SET', counter, stored, 'EXAT', keep_until)
end
local used = tonumber(stored)
local remaining = math.max(0, limit - used)

if cost > 0 and used + cost > limit then
  return answer('quota_exceeded', remaining)
end

local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or bucket_size
local at = tonumber(bucket[2]) or micros
tokens = math.min(bucket_size, tokens + math.max(0, micros - at) / 1000000 * refill)
if tokens < 1 then
  return answer('rate_limited', remaining, math.ceil((1 - tokens) / refill * 1000))
end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens - 1), 'at', string.format('%.0f', micros))
redis.call('PEXPIRE', KEYS[1], math.ceil(bucket_size / refill * 1000) + 1000)

if cost > 0 then
  remaining = math.max(0, limit - redis.call('INCRBY', counter, cost))
  redis.call('XADD', KEYS[3], '*', 'entry_id', ARGV[1], 'account_id', ARGV[2], 'credential_id', ARGV[3],
    'tool', ARGV[4], 'admitted_at', string.format('%.0f', micros), 'cost', ARGV[5])
end
return answer('admitted', remaining)
