/** Errors in the request itself: 400, 404, 405, 413, 415, 422, 426, 431. */
export const requestsProblems = {
	workspace_mismatch: {
		status: 400,
		title: 'The request is meant for another workspace',
		remedy:
			'Use a credential of the workspace in `x-signalbox-workspace`. In the dashboard: open the workspace again, or ask for an invitation to it.',
	},
	invalid_request: {
		status: 400,
		title: 'The request is malformed',
		remedy: 'Each entry in `errors` points at a field and says what is expected.',
	},
	invalid_json: {
		status: 400,
		title: 'The body is not valid JSON',
		remedy:
			'Send one JSON document in UTF-8, without a byte order mark, duplicate or reserved (`__proto__`) keys, at most 64 levels deep; `detail` says what is wrong.',
	},
	invalid_host: {
		status: 400,
		title: 'The Host header is not valid',
		remedy: 'Send exactly one Host header: a host name or an address, with or without a port.',
	},
	invalid_path: {
		status: 400,
		title: 'The path is not in its normal form',
		remedy: 'Send the path without `//`, dot segments, backslashes, control characters or encoded slashes.',
	},
	ambiguous_credentials: {
		status: 400,
		title: 'More than one credential was sent',
		remedy: 'Send one credential in exactly one header.',
	},
	not_found: {
		status: 404,
		title: 'Not found',
		remedy: "Check the id, and that the credential's workspace is the right one.",
	},
	method_not_allowed: {
		status: 405,
		title: 'The path does not support this method',
		remedy: 'The Allow header lists the supported methods.',
	},
	body_too_large: {
		status: 413,
		title: 'The body is larger than the limit',
		remedy: 'Send less at once; `detail` has the limit.',
	},
	unsupported_media_type: {
		status: 415,
		title: 'The content type or encoding is not supported',
		remedy: 'Use a content type and an encoding that the endpoint supports.',
	},
	question_too_large: {
		status: 422,
		title: 'The query takes more time or memory than allowed',
		remedy:
			'Narrow it: use a shorter time range, more filters, a coarser interval, fewer groups or a smaller `limit`.',
	},
	upgrade_required: {
		status: 426,
		title: 'This path does not support WebSockets',
		remedy: 'Send the same request with POST over HTTP. Clients that support both fall back by themselves.',
	},
	headers_too_large: {
		status: 431,
		title: 'The request headers are larger than the limit',
		remedy: 'Send fewer or shorter headers.',
	},
} as const
