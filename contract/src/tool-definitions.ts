import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Strict, Time } from './common.ts'
import { pinReasons } from './constants.ts'
import { operation } from './operation.ts'
import { definitionPolicies } from './server-schemas.ts'

export const pinStates = ['open', 'kept', 'suspended'] as const
export type PinState = (typeof pinStates)[number]

const state = {
	state: OneOf(pinStates, {
		description:
			'`open`: agents see the current definition; `kept`: the approved one; `suspended`: the tool is not listed and its calls are refused',
	}),
	reason: Nullable(OneOf(Object.keys(pinReasons))),
}
const Tokens = Nullable(
	Type.Integer({
		description: 'Tokens (o200k_base) of name, description and input schema as JSON; null until counted',
	}),
)
const Hash = Type.String({ description: 'SHA-256 over the canonical definition' })

export const DefinitionFlag = Strict(
	{
		code: Type.String(),
		severity: OneOf(['high', 'medium']),
		pointer: Type.String({ description: 'JSON pointer into the definition' }),
		position: Type.Integer({ description: 'Start position in that text' }),
		excerpt: Type.String({
			description: 'The text at that position; hidden characters are written as \\u{…}',
		}),
	},
	{ title: 'DefinitionFlag' },
)

export const PinnedTool = Strict(
	{
		name: Type.String(),
		...state,
		detail: Nullable(Type.String({ description: 'What is not compatible' })),
		renamed_from: Nullable(
			Type.String({
				description: 'The tool that this one seems to have been renamed from; grants are not carried over',
			}),
		),
		pending: Type.Boolean({ description: 'Whether it waits for a decision' }),
		current_hash: Nullable(Type.String({ description: 'Null when the server no longer offers the tool' })),
		approved_hash: Nullable(Hash),
		since: Time,
		decided_at: Nullable(Time),
		decided_by: Nullable(Type.String()),
		definition_tokens: Tokens,
		flags: Type.Array(DefinitionFlag, { description: 'Flags of the current definition' }),
	},
	{ title: 'PinnedTool' },
)

export const DefinitionList = Strict(
	{
		definition_policy: OneOf(definitionPolicies),
		definitions: Type.Array(PinnedTool),
		definition_tokens: Nullable(
			Type.Integer({ description: 'Tokens of all tools that are not suspended; null until all are counted' }),
		),
	},
	{ title: 'DefinitionList' },
)

export const DefinitionVersion = Strict(
	{
		hash: Hash,
		first_seen: Time,
		last_seen: Time,
		current: Type.Boolean(),
		approved: Type.Boolean(),
		definition_tokens: Tokens,
		flags: Type.Array(DefinitionFlag),
		definition: Type.Unknown({ description: 'As sent by the server' }),
	},
	{ title: 'DefinitionVersion' },
)

const Difference = Strict(
	{
		part: Type.String(),
		pointer: Type.String({ description: 'JSON pointer into the part' }),
		change: OneOf(['added', 'removed', 'changed']),
		from: Type.Unknown(),
		to: Type.Unknown(),
		text: Type.String({ description: 'The same as a sentence; hidden characters are written as \\u{…}' }),
	},
	{ title: 'DefinitionDifference' },
)

const PendingTool = Strict(
	{
		server: Strict({ id: Id, name: Type.String() }),
		name: Type.String(),
		...state,
		renamed_from: Nullable(Type.String()),
		hash: Hash,
		since: Time,
	},
	{ title: 'PendingDefinition' },
)

const name = Type.String({ minLength: 1, maxLength: 256 })
const path = '/v1/mcp/servers/{id}/definitions'
const reading = byScope('servers:read')

export const toolDefinitionOperations = {
	list: operation({
		id: 'tool-definitions.list',
		method: 'GET',
		path,
		summary: 'List the tools of a server with what agents see of them, flags and tokens',
		access: reading,
		params: IdParams,
		status: 200,
		response: DefinitionList,
	}),
	versions: operation({
		id: 'tool-definitions.versions',
		method: 'GET',
		path: `${path}/versions`,
		summary: 'List the versions of a tool, newest first; the last 100 are kept',
		access: reading,
		params: IdParams,
		query: Strict({ name }),
		status: 200,
		response: Strict({ versions: Type.Array(DefinitionVersion) }, { title: 'DefinitionVersionList' }),
	}),
	diff: operation({
		id: 'tool-definitions.diff',
		method: 'GET',
		path: `${path}/diff`,
		summary: 'Compare two definitions of a tool',
		description:
			'Default: from the approved definition (of the old tool, if the tool seems renamed) to the current one.',
		access: reading,
		params: IdParams,
		query: Strict({ name, from: Type.Optional(Hash), to: Type.Optional(Hash) }),
		status: 200,
		response: Strict(
			{
				name: Type.String(),
				from_hash: Nullable(Hash),
				to_hash: Hash,
				compatible: Type.Boolean({
					description: 'Whether calls valid under the first stay valid under the second',
				}),
				incompatibility: Nullable(Type.String()),
				differences: Type.Array(Difference),
			},
			{ title: 'DefinitionDiff' },
		),
	}),
	decide: operation({
		id: 'tool-definitions.decide',
		method: 'POST',
		path: `${path}/decisions`,
		summary: 'Approve or reject current definitions, all of them or none',
		description:
			'`hash` is that of the definition you reviewed: if the server has changed it since, the answer is 409 `conflict` and nothing is decided.',
		access: byScope('servers:write'),
		problems: ['conflict'],
		params: IdParams,
		body: Strict({
			decisions: Type.Array(Strict({ name, hash: Hash, decision: OneOf(['approve', 'reject']) }), {
				minItems: 1,
				maxItems: 2000,
			}),
		}),
		status: 200,
		response: DefinitionList,
	}),
	pending: operation({
		id: 'tool-definitions.pending',
		method: 'GET',
		path: '/v1/mcp/pending-definitions',
		summary: 'List changed and new tools of all servers that wait for a decision, newest first, at most 500',
		access: reading,
		status: 200,
		response: Strict({ pending: Type.Array(PendingTool) }, { title: 'PendingDefinitionList' }),
	}),
}
