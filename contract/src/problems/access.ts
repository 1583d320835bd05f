/** Missing credentials and rights: 401 and 403. */
export const accessProblems = {
	unauthenticated: {
		status: 401,
		title: 'The credential is missing or is not accepted here',
		remedy: 'Send a credential of a kind that this endpoint accepts; `detail` lists them.',
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
			'Open the one-time setup link that the program prints when it starts, or set SIGNALBOX_INIT_ADMIN_EMAIL and _PASSWORD.',
	},
	setup_link_invalid: {
		status: 403,
		title: 'The setup link was already used or has expired',
		remedy:
			'Restart the program (it prints a new link as long as there is no operator), or run `signalbox admin create-link`.',
	},
	password_login_off: {
		status: 403,
		title: 'Passwords are turned off in this instance',
		remedy: 'Sign in with one of the providers that GET /auth/methods names.',
	},
	mail_link_invalid: {
		status: 403,
		title: 'The link was already used or has expired',
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
	sharing_off: {
		status: 403,
		title: 'Share links are turned off in this workspace',
		remedy: 'An admin of the workspace can turn them on: `PUT /v1/sharing`, or under Settings.',
	},
	share_invalid: {
		status: 404,
		title: 'The link shows nothing: it was revoked, has expired, or its session is gone',
		remedy: 'Ask whoever sent it for a new one.',
	},
	invitation_for_another: {
		status: 403,
		title: 'The invitation is for another person',
		remedy: 'Sign out, and sign in with the e-mail address that was invited.',
	},
	authorization_invalid: {
		status: 403,
		title: 'The authorization request was already answered, has expired, or was started in another browser',
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
		title: 'The agent is not allowed to use this model or connection',
		remedy: 'An admin of the workspace can extend the `model_access` of the agent; `detail` names the model.',
	},
	hook_denied: {
		status: 403,
		title: 'A hook of the workspace refused this call or its answer',
		remedy: '`detail` names the hook; an admin of the workspace can change it.',
	},
	tool_not_granted: {
		status: 403,
		title: 'The agent is not allowed to call this tool',
		remedy: '`detail` says why; `GET /v1/agents/{id}/access` shows everything that the agent may do.',
	},
	stdio_not_allowed: {
		status: 403,
		title: 'The workspace is not allowed to register programs',
		remedy:
			"Programs (stdio servers) run commands on Signalbox's machine. An operator can give the workspace the right to register them.",
	},
	call_cut: {
		status: 403,
		title: 'The call was cut after it was sent, and may have taken effect',
		remedy: '`detail` says why. Check what the call did before you send it again.',
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
		title: 'The credential is not allowed from this address',
		remedy: 'Call from an address in `allowed_addresses`, or ask an admin to change that list.',
	},
	blocked_address: {
		status: 403,
		title: 'The target address is not allowed',
		remedy: 'The operator can allow private networks with SIGNALBOX_ALLOWED_PRIVATE_NETWORKS.',
	},
} as const
