/** Conflicts with the present state: 409, 412, 422. */
export const conflictsProblems = {
	conflict: {
		status: 409,
		title: 'The change conflicts with what exists',
		remedy: '`detail` names the conflict.',
	},
	last_way_in: {
		status: 409,
		title: 'An account must keep at least one way to sign in',
		remedy: 'Set a password or link another provider first.',
	},
	last_owner: {
		status: 409,
		title: 'A workspace must keep at least one owner',
		remedy: 'Make somebody else an owner first, or delete the workspace.',
	},
	last_workspace: {
		status: 409,
		title: 'An instance must keep at least one workspace',
		remedy: 'Create another workspace first.',
	},
	last_operator: {
		status: 409,
		title: 'An instance must keep at least one operator',
		remedy: 'Make somebody else an operator first: `signalbox admin grant-operator`.',
	},
	set_by_environment: {
		status: 409,
		title: 'This value is set by an environment variable',
		remedy: 'Change the variable that `detail` names and restart, or unset it.',
	},
	sign_in_required: {
		status: 409,
		title: 'The invited person already has an account',
		remedy: 'Sign in with the invited e-mail address, then accept the invitation again.',
	},
	name_taken: { status: 409, title: 'The name is already in use', remedy: 'Choose another name.' },
	idempotency_in_progress: {
		status: 409,
		title: 'A request with this Idempotency-Key is still running',
		remedy: 'Retry after the time in Retry-After.',
	},
	idempotency_answer_lost: {
		status: 409,
		title: 'The change was made, but its response was lost',
		remedy:
			'Look for the object in its list. If the response contained a secret, the secret is lost: revoke the object, and create another with a new Idempotency-Key.',
	},
	approval_decided: {
		status: 409,
		title: 'The approval was already decided or has expired',
		remedy: 'Read it again; `detail` gives its status.',
	},
	derived_grant: {
		status: 409,
		title: 'The grant comes from a toolset',
		remedy: 'Change the toolset or the groups of the agent; `detail` names the toolset.',
	},
	suggestion_outdated: {
		status: 409,
		title: 'The suggestion is outdated',
		remedy: 'The grant or its use has changed since: read the suggestions again.',
	},
	grant_changed: {
		status: 409,
		title: 'A grant has changed since the suggestion was applied',
		remedy: 'Change the grant by hand; `detail` says what differs.',
	},
	grants_exist: {
		status: 409,
		title: 'Agents still have access',
		remedy: 'Remove the grants first, or repeat with `?force=true` (`--force` in the command line).',
	},
	precondition_failed: {
		status: 412,
		title: 'The object has changed: its ETag no longer matches If-Match',
		remedy: 'Read it again, and repeat the change with its current ETag.',
	},
	no_password: {
		status: 409,
		title: 'The account has no password',
		remedy: 'Request a link to set one: POST /auth/password/forgot.',
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
		remedy: 'Use the password that you sign in with, or request a link to reset it.',
	},
} as const
