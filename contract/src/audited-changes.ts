import { type Access, byScope } from './access.ts'
import { approvalReaders } from './approvals.ts'

const credential = (noun: string) => ({
	create: `${noun} was created`,
	update: `The name, expiry, addresses or scopes of ${noun.toLowerCase()} were changed`,
	rotate: `${noun} got a new secret, which waits for its first use`,
	'cancel-rotation': `The rotation of ${noun.toLowerCase()} was cancelled`,
	activate: `The new secret of ${noun.toLowerCase()} was used for the first time`,
	revoke: `${noun} was revoked`,
})

const auditors = byScope('audit:read')

/** Changes by area and verb, which are the actions of the audit log. Every recorded change is also an event. */
export const changes: Record<string, { access: Access; verbs: Record<string, string> }> = {
	agents: {
		access: byScope('agents:read'),
		verbs: {
			create: 'An agent was created',
			update:
				'The name, description, groups, model access, call limits or tool listing of an agent were changed',
			delete: 'An agent was deleted with its keys and grants',
			pause: 'An agent was paused',
			resume: 'An agent was resumed',
			stop: 'An agent was stopped',
			start: 'An agent was started',
		},
	},
	servers: {
		access: byScope('servers:read'),
		verbs: {
			create: 'A server was registered',
			update: 'A server was changed',
			delete: 'A server was deleted',
			'refresh-tools': 'The list of a server’s tools was refreshed',
			'call-tool': 'Somebody called a tool from the playground',
			'update-program': 'The hosts that a hosted program may reach were changed',
			'accept-without-sandbox': 'A hosted program was accepted, in a sandbox or without one',
			'withdraw-acceptance': 'The acceptance of a hosted program was withdrawn',
			'restart-program': 'A hosted program was restarted',
			'install-program': 'The package of a hosted program was downloaded again',
		},
	},
	access: {
		access: byScope('access:read'),
		verbs: {
			create: 'An agent was given access to a server',
			update: 'A grant was changed',
			delete: 'A grant was removed',
		},
	},
	toolsets: {
		access: byScope('access:read'),
		verbs: {
			create: 'A toolset was created',
			update: 'A toolset was changed, and with it the grants of its groups',
			delete: 'A toolset was deleted with its grants',
		},
	},
	'access-requests': {
		access: byScope('access:read', 'audit:read'),
		verbs: {
			create: 'Access was requested for an agent',
			grant: 'An admin granted a request for access',
			decline: 'An admin declined a request for access',
		},
	},
	approvals: {
		access: approvalReaders,
		verbs: {
			request: 'An agent sent a call that needs the approval of a person',
			approve: 'A call was approved, once or for a time',
			deny: 'A call was denied',
			revoke: 'An approval was revoked',
			expire: 'A call was not decided in time, or not sent again after it was approved',
		},
	},
	keys: { access: byScope('keys:read'), verbs: credential('A platform or agent key') },
	'ingest-tokens': { access: byScope('keys:read'), verbs: credential('An ingest token') },
	'tool-definitions': {
		access: byScope('servers:read'),
		verbs: { decide: 'Definitions of tools were approved or rejected' },
	},
	'provider-keys': {
		access: byScope('provider-keys:read'),
		verbs: {
			create: 'A model connection was created',
			update: 'A model connection was changed',
			test: 'A model connection was tested',
			delete: 'A model connection was deleted',
		},
	},
	'upstream-credentials': {
		access: auditors,
		verbs: {
			replace: 'The OAuth settings of a server were changed',
			connect: 'A person connected a server: for themselves, an agent or the workspace',
			disconnect: 'Tokens for a server were deleted',
		},
	},
	authorizations: {
		access: auditors,
		verbs: {
			create: 'A person let a client act as an agent (OAuth)',
			revoke: 'A client that a person connected was disconnected',
		},
	},
	routes: {
		access: byScope('provider-keys:read'),
		verbs: {
			create: 'A route of model calls was created',
			update: 'A route of model calls was changed',
			delete: 'A route of model calls was deleted',
		},
	},
	hooks: {
		access: byScope('provider-keys:read', 'audit:read'),
		verbs: {
			create: 'A hook on model calls was created',
			update: 'A hook on model calls was changed',
			delete: 'A hook on model calls was deleted',
			'rotate-secret': 'The webhook of a hook on model calls got a new signing secret',
		},
	},
	budgets: {
		access: byScope('budgets:read'),
		verbs: {
			create: 'A budget was created',
			update: 'A budget was changed',
			delete: 'A budget was deleted',
		},
	},
	'model-limits': {
		access: byScope('budgets:read'),
		verbs: {
			create: 'A limit of model calls was created',
			update: 'A limit of model calls was changed',
			delete: 'A limit of model calls was deleted',
		},
	},
	prices: {
		access: byScope('budgets:read'),
		verbs: { create: 'A price was set', end: 'An end was set for a price' },
	},
	ledger: {
		access: byScope('budgets:read'),
		verbs: { reprice: 'Recorded calls were repriced' },
	},
	questions: {
		access: byScope('spotlight:read'),
		verbs: {
			create: 'A view was saved',
			update: 'A saved view was changed',
			delete: 'A saved view was deleted',
		},
	},
	dashboards: {
		access: byScope('spotlight:read'),
		verbs: {
			create: 'A dashboard was created',
			update: 'A dashboard was changed',
			delete: 'A dashboard was deleted',
		},
	},
	alerts: {
		access: byScope('alerts:read'),
		verbs: {
			create: 'An alert was created',
			update: 'An alert was changed, muted, turned off or turned on',
			test: 'A test message of an alert was sent',
			delete: 'An alert was deleted',
		},
	},
	webhooks: {
		access: byScope('webhooks:read'),
		verbs: {
			create: 'A webhook was created',
			update: 'A webhook was changed',
			delete: 'A webhook was deleted',
			'rotate-secret': 'A webhook got a new signing secret',
			test: 'A test event was sent to a webhook',
			replay: 'A delivery was replayed',
			disable: 'A webhook was turned off: its receiver answered 410, or failed for five days',
		},
	},
	forwarders: {
		access: byScope('forwarders:read'),
		verbs: {
			create: 'A forwarder was created',
			update: 'A forwarder was changed',
			delete: 'A forwarder was deleted',
			test: 'The receiver of a forwarder was tested',
		},
	},
	'call-recording': {
		access: auditors,
		verbs: { replace: 'The recording of calls was configured' },
	},
	sharing: {
		access: auditors,
		verbs: {
			replace: 'Sharing by links was turned on or off',
			create: 'A session was shared by a link',
			revoke: 'The link of a session was revoked',
		},
	},
	'telemetry-erasures': {
		access: auditors,
		verbs: { create: 'Erasure of the telemetry of a session or a person was started' },
	},
	'telemetry-renormalisations': {
		access: auditors,
		verbs: { create: 'Renormalisation of stored spans was started' },
	},
	'redaction-rules': {
		access: auditors,
		verbs: {
			create: 'A redaction rule was created',
			update: 'A redaction rule was changed',
			delete: 'A redaction rule was deleted',
		},
	},
	retention: { access: auditors, verbs: { replace: 'The retention of telemetry was changed' } },
	limits: { access: auditors, verbs: { replace: 'The rate limits of the workspace were changed' } },
	members: {
		access: auditors,
		verbs: {
			add: 'Somebody became a member through a group of their sign-in provider',
			update: 'The role of a member was changed',
			remove: 'A member was removed',
			leave: 'A member left',
		},
	},
	invitations: {
		access: auditors,
		verbs: {
			create: 'Somebody was invited',
			resend: 'An invitation was sent again',
			revoke: 'An invitation was revoked',
			accept: 'An invitation was accepted',
		},
	},
	workspaces: {
		access: auditors,
		verbs: { create: 'The workspace was created', update: 'The workspace was renamed' },
	},
	auth: {
		access: auditors,
		verbs: {
			setup: 'The first operator set up the instance',
			register: 'A person registered',
			login: 'A person signed in',
			logout: 'A person signed out',
			switch: 'A person switched to this workspace',
			verify: 'A person verified their e-mail address',
			forgot_password: 'A link to reset a password was requested',
			reset_password: 'A password was reset',
			change_password: 'A password was changed',
			update: 'A person chose their time zone',
			link_identity: 'A sign-in provider was linked to an account',
			unlink_identity: 'A sign-in provider was unlinked from an account',
			revoke_session: 'A session was ended',
		},
	},
	settings: { access: auditors, verbs: { update: 'Settings of the instance were changed' } },
	instance: {
		access: auditors,
		verbs: {
			rights: 'An operator changed the rights of the workspace',
			grant_operator: 'A person became an operator',
			revoke_operator: 'A person is no longer an operator',
			'rotate-master-key': 'A rotation of the master key was started',
			'rotate-signing-keys': 'A new signing key was created',
			'confirm-clock': 'An operator confirmed that the clock is right although it jumped',
		},
	},
}
