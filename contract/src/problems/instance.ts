/** What the instance, or something it depends on, cannot do at present: 429 and 5xx. */
export const instanceProblems = {
	too_many_requests: { status: 429, title: 'Too many requests', remedy: 'Wait for the time in Retry-After.' },
	rate_limited: {
		status: 429,
		title: 'The rate limit is reached',
		remedy: 'Wait for the time in Retry-After; `RateLimit-Policy` and GET /v1/limits show the limit.',
	},
	model_calls_limited: {
		status: 429,
		title: 'A limit of model calls is reached',
		remedy: '`detail` names the limit and what it counts; wait for the time in Retry-After.',
	},
	internal: {
		status: 500,
		title: 'Internal error',
		remedy: 'Report the request_id; the log has the cause.',
	},
	upstream_unreachable: {
		status: 502,
		title: 'The MCP server or provider could not be reached',
		remedy: '`detail` has the cause; check the address, and that the server is running.',
	},
	upstream_timeout: {
		status: 504,
		title: 'The MCP server or provider did not answer in time',
		remedy: 'Try again, or check the health of the server or the provider.',
	},
	hook_failed: {
		status: 503,
		title: 'A hook of the workspace failed, and so the call was refused',
		remedy:
			'`detail` names the hook and what failed: its webhook, or an answer that it could not read. An admin can fix the hook, or set its `fail_mode` to `open`.',
	},
	recorder_full: {
		status: 503,
		title: 'The telemetry log is full',
		remedy: 'Retry after the time in Retry-After; `detail` says whether its disk or its own limit is full.',
	},
	stale_permissions: {
		status: 503,
		title: 'Permissions could not be refreshed',
		remedy: 'Retry; the control store has not answered for over 5 s.',
	},
	disk_full: {
		status: 503,
		title: 'A disk is full',
		remedy:
			'`detail` names the disk. An operator can delete or move other files on it, enlarge it, or shorten the retention of telemetry. Signalbox then continues by itself.',
	},
	store_unavailable: {
		status: 503,
		title: 'A store is not responding',
		remedy: 'Retry after the time in Retry-After; `detail` and the log say what does not respond.',
	},
	overloaded: {
		status: 503,
		title: 'The instance is overloaded',
		remedy:
			'Retry after the time in Retry-After; `signalbox_overload_level` in /metrics shows the load level.',
	},
	shutting_down: {
		status: 503,
		title: 'The program is shutting down',
		remedy: 'Retry against the next instance.',
	},
} as const
