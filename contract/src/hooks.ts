import { Type } from 'typebox'
import { byScope } from './access.ts'
import {
	Id,
	IdParams,
	Name,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
} from './common.ts'
import { operation } from './operation.ts'

/** The part of a call that a hook checks. */
export const hookStages = ['request', 'response', 'stream'] as const
export type HookStage = (typeof hookStages)[number]
export const hookActions = ['deny', 'redact', 'webhook'] as const
export type HookAction = (typeof hookActions)[number]
export const hookModes = ['dry_run', 'enforce'] as const
export const hookFailModes = ['open', 'closed'] as const

const Patterns = (of: string) =>
	Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
		minItems: 1,
		maxItems: 50,
		uniqueItems: true,
		description: `${of}; \`*\` matches any characters`,
	})
const Pattern = Type.String({
	minLength: 1,
	maxLength: 500,
	description: 'RE2 syntax, without look-around and back-references. A match has at most 512 characters',
	examples: ['EMP-[0-9]{6}'],
})
const Label = Type.String({
	pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
	maxLength: 40,
	description: 'With `redact` and `webhook`: removed text is replaced by `[redacted:label]`',
	examples: ['staff_number'],
})
const Url = Type.String({ minLength: 1, maxLength: 2048, examples: ['https://example.org/hooks/prompts'] })

const settings = {
	name: Name,
	enabled: Type.Boolean(),
	mode: OneOf(hookModes, {
		description: '`dry_run` records what the hook would have done and changes nothing',
	}),
	stages: Type.Array(OneOf(hookStages), {
		minItems: 1,
		uniqueItems: true,
		description:
			'`request`: the request to the provider; `response`: an answer in one JSON document; `stream`: an answer in events, which `redact` cannot change',
	}),
	connections: Patterns('Names of connections and routes'),
	models: Patterns('Names of requested models; a call whose model is unknown matches every name'),
	agents: Patterns('Names or ids of agents; calls without an agent need `*`'),
	timeout_ms: Type.Integer({
		minimum: 50,
		maximum: 30_000,
		description: 'Timeout for one answer of a webhook',
	}),
	fail_mode: OneOf(hookFailModes, {
		description:
			'What happens when the hook fails (no answer from a webhook, or an answer that is not valid JSON): `open` lets the call continue, `closed` refuses it. A request that cannot be parsed is refused by every enforcing hook',
	}),
}
const readOnly = {
	id: Id,
	action: OneOf(hookActions),
	old_secret_expires_at: Nullable(
		Type.String({
			format: 'date-time',
			description: 'Until then deliveries are also signed with the previous secret',
		}),
	),
	created_at: Time,
	updated_at: Time,
}
const fields = {
	...readOnly,
	...settings,
	pattern: Nullable(Type.String()),
	label: Type.String(),
	url: Nullable(Type.String()),
}

/** A hook: what is done with prompts and answers of model calls in transit. */
export const Hook = Strict(fields, { title: 'Hook' })
const secret = Type.String({
	description: 'The signing secret of its webhook (`whsec_…`), shown only here',
})
const NewHook = Strict({ ...fields, secret: Type.Optional(secret) }, { title: 'NewHook' })

const { name, stages, ...rest } = settings
const reading = byScope('provider-keys:read', 'audit:read')
const writing = byScope('provider-keys:write')

export const hookOperations = {
	list: operation({
		id: 'hooks.list',
		method: 'GET',
		path: '/v1/hooks',
		summary: 'List the hooks on model calls, by default in the order in which they run',
		access: reading,
		query: Strict({
			...pageQuery,
			order: OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the sort' }),
		}),
		status: 200,
		response: Strict({ hooks: Type.Array(Hook), pagination: Pagination }, { title: 'HookList' }),
	}),
	create: operation({
		id: 'hooks.create',
		secrets: ['secret'],
		method: 'POST',
		path: '/v1/hooks',
		summary: 'Create a hook that checks prompts or answers of model calls; a dry run by default',
		description:
			'`deny` and `redact` need a `pattern`, `webhook` a `url`; its signing secret is shown once. Hooks run in the order in which they were created. A workspace has at most 20.',
		access: writing,
		body: Strict({
			name,
			action: OneOf(hookActions),
			stages,
			pattern: Type.Optional(Pattern),
			label: Type.Optional(Label),
			url: Type.Optional(Url),
			...optional(rest),
		}),
		status: 201,
		response: NewHook,
		problems: ['conflict', 'name_taken', 'blocked_address'],
	}),
	get: operation({
		id: 'hooks.get',
		method: 'GET',
		path: '/v1/hooks/{id}',
		summary: 'Get a hook, without its secret',
		access: reading,
		params: IdParams,
		status: 200,
		response: Hook,
	}),
	update: operation({
		id: 'hooks.update',
		method: 'PATCH',
		path: '/v1/hooks/{id}',
		summary: 'Change a hook; another origin gets a new secret, shown once in the answer',
		description:
			'It applies within a second to calls that start from then on. Unchanged read-only fields are accepted; so are `pattern` and `url` for an action that has none.',
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...optional({ ...readOnly, ...settings }),
				pattern: Type.Optional(Nullable(Pattern)),
				label: Type.Optional(Label),
				url: Type.Optional(Nullable(Url)),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: NewHook,
		problems: ['name_taken', 'blocked_address'],
	}),
	rotateSecret: operation({
		id: 'hooks.rotate-secret',
		secrets: ['secret'],
		method: 'POST',
		path: '/v1/hooks/{id}/rotate-secret',
		summary:
			'Rotate the signing secret of a hook’s webhook; the new one is shown once, the old one also signs for 24 hours',
		access: writing,
		params: IdParams,
		status: 201,
		response: NewHook,
		problems: ['conflict'],
	}),
	delete: operation({
		id: 'hooks.delete',
		method: 'DELETE',
		path: '/v1/hooks/{id}',
		summary: 'Delete a hook',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
