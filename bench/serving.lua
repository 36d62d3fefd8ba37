-- wrk posts the file that BODY names, keeps the different answers, and says at the end in JSON what it saw.
local file = io.open(os.getenv("BODY"), "rb")
wrk.method, wrk.body = "POST", file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

local threads = {}
function setup(thread) table.insert(threads, thread) end

function init() answers, failed = "", 0 end

function response(status, headers, body)
  if status ~= 200 then
    failed = failed + 1
  elseif body ~= last then
    last = body
    if #answers < 1000000 and not answers:find(body, 1, true) then answers = answers .. body .. "\0" end
  end
end

function done(summary, latency, requests)
  local failures, different = 0, {}
  for _, thread in ipairs(threads) do
    failures = failures + thread:get("failed")
    for answer in thread:get("answers"):gmatch("[^%z]+") do different[#different + 1] = string.format("%q", answer):gsub("\\\n", "\\n") end
  end
  local errors = summary.errors
  failures = failures + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('\nRESULT {"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "failed": %d, "answers": [%s]}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e6, latency:percentile(99) / 1e6, failures, table.concat(different, ", ")))
end
