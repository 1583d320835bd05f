import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { figures, Label } from './spotlight-figures.ts'
import {
	SessionParams,
	sessionMoment,
	sessionPage,
	sessionPageQuery,
	sessionSpan,
} from './spotlight-sessions.ts'

const setting = {
	enabled: Type.Boolean({
		description: 'Whether sessions may be shared by link; while false, no link opens',
	}),
}
const SharingSetting = Strict(setting, { title: 'SharingSetting' })

const shown = {
	id: Id,
	session_id: Type.String(),
	messages: Type.Boolean({ description: 'Whether the link also shows messages' }),
	created_by: Type.String({ description: 'E-mail address of its creator' }),
	created_at: Time,
	expires_at: Time,
}
const SessionShare = Strict(shown, { title: 'SessionShare' })

const { sessions: _sessions, users: _users, ...sharedFigures } = figures

/** A session as a link shows it: without ids, people, clients and agents, and with its texts redacted once more. */
export const SharedSession = Strict(
	{
		expires_at: Time,
		...sessionSpan,
		...sharedFigures,
		...sessionPage,
		calls: Type.Array(Strict({ server: Strict({ name: Label }), ...sessionMoment }, { title: 'SharedCall' })),
	},
	{ title: 'SharedSession' },
)

export const sharingOperations = {
	get: operation({
		id: 'sharing.get',
		method: 'GET',
		path: '/v1/sharing',
		summary: 'Get whether sessions of the workspace may be shared by link',
		access: people(),
		status: 200,
		response: SharingSetting,
	}),
	replace: operation({
		id: 'sharing.replace',
		method: 'PUT',
		path: '/v1/sharing',
		summary: 'Choose whether sessions may be shared by link',
		description:
			'Off by default. While it is off, no link opens; links that have not expired work again when it is turned on.',
		access: people('workspace:write'),
		body: Strict(setting),
		status: 200,
		response: SharingSetting,
	}),
	create: operation({
		id: 'sharing.create',
		secrets: ['url'],
		method: 'POST',
		path: '/v1/spotlight/sessions/{id}/share',
		summary:
			'Create a share link that shows one session, redacted, to everyone who has the link, until it expires',
		description: 'The link is shown only in this answer.',
		access: people('sharing:write'),
		params: SessionParams,
		body: Strict({
			expires_in_hours: Type.Integer({ minimum: 1, maximum: 720, default: 168 }),
			messages: Type.Boolean({ default: false, description: 'Also show messages' }),
		}),
		status: 201,
		response: Strict(
			{
				...shown,
				url: Type.String({ description: 'Its random 256-bit secret is in the fragment, after `#`' }),
			},
			{ title: 'NewSessionShare' },
		),
		problems: ['not_found', 'sharing_off', 'conflict'],
	}),
	list: operation({
		id: 'sharing.list',
		method: 'GET',
		path: '/v1/spotlight/shares',
		summary: 'List share links that have not expired',
		access: people(),
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'expires_at'], { default: 'created_at' }),
			session_id: Type.Optional(Type.String({ maxLength: 256 })),
		}),
		status: 200,
		response: Strict(
			{ shares: Type.Array(SessionShare), pagination: Pagination },
			{ title: 'SessionShareList' },
		),
	}),
	revoke: operation({
		id: 'sharing.revoke',
		method: 'DELETE',
		path: '/v1/spotlight/shares/{shareId}',
		summary: 'Revoke a link: it stops working',
		access: people('sharing:write'),
		params: Strict({ shareId: Id }),
		status: 204,
		response: null,
	}),
	open: operation({
		id: 'sharing.open',
		method: 'POST',
		path: '/shared/session',
		summary: 'Get what a link shows of its session',
		description: 'The token is the fragment of the link, after `#`.',
		access: { public: true },
		body: Strict({ token: Type.String({ maxLength: 100 }), ...sessionPageQuery }),
		status: 200,
		response: SharedSession,
		problems: ['share_invalid', 'store_unavailable'],
	}),
}
