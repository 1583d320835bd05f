/**
 * Every failure the platform API can answer, by its stable code: the status, a title, and what the reader can do.
 * `docs/errors.md` is made from this table and a test holds the two equal.
 */
export const problems = {
	invalid_request: {
		status: 400,
		title: 'The request is malformed',
		remedy: 'Each entry of `errors` points at a field and says what it expects.',
	},
	invalid_json: {
		status: 400,
		title: 'The body is not valid JSON',
		remedy: 'Send one JSON document in UTF-8 without duplicate or reserved (`__proto__`) keys.',
	},
	invalid_host: {
		status: 400,
		title: 'The Host header is not valid',
		remedy: 'Send exactly one well-formed Host header.',
	},
	invalid_path: {
		status: 400,
		title: 'The path is not in its plain form',
		remedy: 'Send the path without `//`, dot segments or encoded slashes.',
	},
	ambiguous_credentials: {
		status: 400,
		title: 'More than one credential was sent',
		remedy: 'Send one credential in exactly one header.',
	},
	unauthenticated: {
		status: 401,
		title: 'The credential is missing or not accepted here',
		remedy: 'Send a credential of a kind that this endpoint takes; `detail` names them.',
	},
	wrong_credentials: {
		status: 401,
		title: 'E-mail or password is wrong',
		remedy: 'Check both; reset the password with `signalbox admin reset-password`.',
	},
	session_ended: { status: 401, title: 'The session has ended', remedy: 'Log in again.' },
	forbidden: {
		status: 403,
		title: 'A role or scope is missing',
		remedy: '`detail` names it; an admin of the workspace can grant it.',
	},
	setup_required: {
		status: 403,
		title: 'This instance has no operator yet',
		remedy:
			'Open the one-time setup link that the program prints at its start, or set SIGNALBOX_INIT_ADMIN_EMAIL and _PASSWORD.',
	},
	setup_link_invalid: {
		status: 403,
		title: 'The setup link was used or has expired',
		remedy:
			'Restart the program, which prints a new link while there is no operator, or run `signalbox admin create-link`.',
	},
	password_login_off: {
		status: 403,
		title: 'This instance takes no passwords',
		remedy: 'Sign in with one of the providers that GET /auth/methods names.',
	},
	mail_link_invalid: {
		status: 403,
		title: 'The link was used or has expired',
		remedy: 'Ask for a new one: POST /auth/password/forgot or /auth/verify/resend.',
	},
	signup_closed: {
		status: 403,
		title: 'Registration is closed',
		remedy: 'Ask an admin of the workspace for an invitation.',
	},
	invitation_invalid: {
		status: 403,
		title: 'The invitation was used or revoked, or has expired',
		remedy: 'Ask an admin of the workspace for a new one.',
	},
	invitation_for_another: {
		status: 403,
		title: 'The invitation is for another person',
		remedy: 'Sign out, and sign in with the e-mail address that was invited.',
	},
	authorization_invalid: {
		status: 403,
		title: 'What the client asked for was decided, has expired, or began in another browser',
		remedy: 'Start again from the client, and open its link in this browser.',
	},
	agent_required: {
		status: 403,
		title: 'This endpoint needs an agent',
		remedy: 'Use an agent key, or a key with `mcp:invoke` and the header x-signalbox-agent.',
	},
	agent_not_active: { status: 403, title: 'The agent is not active', remedy: 'Resume or start the agent.' },
	model_not_granted: {
		status: 403,
		title: 'The agent may not use this model or connection',
		remedy: 'An admin of the workspace can widen `model_access` of the agent; `detail` names the model.',
	},
	tool_not_granted: {
		status: 403,
		title: 'The agent may not call this tool',
		remedy: '`detail` says why; `GET /v1/agents/{id}/access` shows all that the agent may do.',
	},
	stdio_not_allowed: {
		status: 403,
		title: 'The workspace may not register programs',
		remedy:
			'Programs (stdio servers) run commands on the machine of Signalbox: an operator can give the workspace that right.',
	},
	path_not_allowed: {
		status: 403,
		title: 'This provider path is not open with a stored key',
		remedy: 'Use one of the paths listed in docs/model-proxy.md, or bring your own provider key.',
	},
	provider_key_missing: {
		status: 403,
		title: 'The connection has no key',
		remedy:
			'Store one with PATCH /v1/provider-keys/{id}, or send your own provider key beside x-service-api-key.',
	},
	address_not_allowed: {
		status: 403,
		title: 'The credential may not be used from this address',
		remedy: 'Call from an address of `allowed_addresses`, or have an admin change that list.',
	},
	blocked_address: {
		status: 403,
		title: 'The target address is not allowed',
		remedy: 'The operator can allow private networks with SIGNALBOX_ALLOWED_PRIVATE_NETWORKS.',
	},
	not_found: {
		status: 404,
		title: 'There is no such object',
		remedy: 'Check the id and the workspace of the credential.',
	},
	method_not_allowed: {
		status: 405,
		title: 'The path exists, but not with this method',
		remedy: 'The Allow header lists the methods.',
	},
	conflict: {
		status: 409,
		title: 'The change conflicts with what exists',
		remedy: '`detail` names the conflict.',
	},
	last_way_in: {
		status: 409,
		title: 'An account keeps at least one way to sign in',
		remedy: 'Set a password or link another provider first.',
	},
	last_owner: {
		status: 409,
		title: 'A workspace keeps at least one owner',
		remedy: 'Make somebody else an owner first, or delete the workspace.',
	},
	last_workspace: {
		status: 409,
		title: 'An instance keeps at least one workspace',
		remedy: 'Create another workspace first.',
	},
	last_operator: {
		status: 409,
		title: 'An instance keeps at least one operator',
		remedy: 'Make somebody else an operator first: `signalbox admin grant-operator`.',
	},
	set_by_environment: {
		status: 409,
		title: 'The environment sets this value',
		remedy: 'Change the variable that `detail` names and restart, or unset it.',
	},
	sign_in_required: {
		status: 409,
		title: 'The invited person has an account',
		remedy: 'Sign in with the invited e-mail address, then accept the invitation again.',
	},
	name_taken: { status: 409, title: 'The name is already in use', remedy: 'Choose another name.' },
	idempotency_in_progress: {
		status: 409,
		title: 'A request with this Idempotency-Key still runs',
		remedy: 'Repeat it after Retry-After.',
	},
	idempotency_answer_lost: {
		status: 409,
		title: 'The change was made, but its answer was lost',
		remedy:
			'Look for the object in its list. A secret that was in the answer is gone: revoke that object, and create another with a new Idempotency-Key.',
	},
	approval_decided: {
		status: 409,
		title: 'The approval is decided or has expired',
		remedy: 'Read it again; `detail` says how it stands.',
	},
	derived_grant: {
		status: 409,
		title: 'The grant comes from a toolset',
		remedy: 'Change the toolset or the groups of the agent; `detail` names the toolset.',
	},
	suggestion_outdated: {
		status: 409,
		title: 'The suggestion no longer fits',
		remedy: 'The grant or its use has changed since: read the suggestions again.',
	},
	grant_changed: {
		status: 409,
		title: 'A grant was changed since the suggestion was applied',
		remedy: 'Change the grant by hand; `detail` names what differs.',
	},
	grants_exist: {
		status: 409,
		title: 'Agents still have access',
		remedy: 'Remove the grants first, or repeat with `?force=true`.',
	},
	precondition_failed: {
		status: 412,
		title: 'The object is no longer as If-Match says',
		remedy: 'Read it again, and repeat the change with its present ETag.',
	},
	no_password: {
		status: 409,
		title: 'The account has no password',
		remedy: 'Set one by a link: POST /auth/password/forgot.',
	},
	body_too_large: {
		status: 413,
		title: 'The body is larger than the limit',
		remedy: 'Send less at once; the limit is in `detail`.',
	},
	unsupported_media_type: {
		status: 415,
		title: 'The content type or encoding is not supported',
		remedy: 'Send the content type that the endpoint documents.',
	},
	weak_password: {
		status: 422,
		title: 'The password is too easy to guess',
		remedy: 'Use at least 8 characters that are not a known password.',
	},
	idempotency_mismatch: {
		status: 422,
		title: 'The Idempotency-Key was used for another request',
		remedy: 'Use a new key for a new request; repeat a request with its path, query and body unchanged.',
	},
	wrong_password: {
		status: 422,
		title: 'The current password is wrong',
		remedy: 'Repeat with the password that you sign in with, or reset it by a link.',
	},
	headers_too_large: {
		status: 431,
		title: 'The request headers are larger than the limit',
		remedy: 'Send fewer or shorter headers.',
	},
	too_many_requests: { status: 429, title: 'Too many requests', remedy: 'Wait for the time in Retry-After.' },
	rate_limited: {
		status: 429,
		title: 'The rate limit is reached',
		remedy: 'Wait for the time in Retry-After; `RateLimit-Policy` and GET /v1/limits show the limit.',
	},
	internal: {
		status: 500,
		title: 'Something broke on our side',
		remedy: 'Report the request_id; the log has the cause.',
	},
	upstream_unreachable: {
		status: 502,
		title: 'The MCP server or provider could not be reached',
		remedy: '`detail` has the cause; check its address and that it runs.',
	},
	upstream_timeout: {
		status: 504,
		title: 'The MCP server did not answer in time',
		remedy: 'Try again, or look at the health of the server.',
	},
	recorder_full: {
		status: 503,
		title: 'The telemetry log is full',
		remedy: 'Retry after Retry-After; check that the telemetry store runs and has disk space.',
	},
	stale_permissions: {
		status: 503,
		title: 'Permissions could not be refreshed',
		remedy: 'Retry; the control store has not answered for over 5 s.',
	},
	store_unavailable: {
		status: 503,
		title: 'A store does not answer',
		remedy: 'Retry after Retry-After; `/readyz?verbose` names the store.',
	},
	overloaded: {
		status: 503,
		title: 'The instance has more work than it can do',
		remedy: 'Retry after Retry-After; `signalbox_overload_level` in /metrics shows how far it is.',
	},
	shutting_down: {
		status: 503,
		title: 'The program is shutting down',
		remedy: 'Retry against the next instance.',
	},
} as const

export type ProblemCode = keyof typeof problems
