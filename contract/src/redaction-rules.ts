import { Type } from 'typebox'
import { people } from './access.ts'
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

/** The parts of telemetry to which a rule applies. */
export const redactionTargets = ['content', 'attributes', 'log_bodies', 'all'] as const
export type RedactionTarget = (typeof redactionTargets)[number]

const Pattern = Type.String({
	minLength: 1,
	maxLength: 500,
	description: 'RE2 syntax, without look-around and back-references. A match has at most 512 characters',
	examples: ['EMP-[0-9]{6}'],
})
const Label = Type.String({
	pattern: '^[a-z0-9]+(_[a-z0-9]+)*$',
	maxLength: 40,
	description: 'Matches are replaced by `[redacted:label]`',
	examples: ['staff_number'],
})
const AppliesTo = Type.Array(OneOf(redactionTargets), {
	minItems: 1,
	uniqueItems: true,
	description:
		'`content`: prompts, answers, and arguments and results of tools; `attributes`: those in `attribute_keys`; `log_bodies`; `all`: all of these, every other attribute, and names and status messages of spans',
})
const AttributeKeys = Type.Array(Type.String({ minLength: 1, maxLength: 200, examples: ['user.id'] }), {
	maxItems: 50,
	uniqueItems: true,
	description: 'For `attributes`, otherwise empty; a trailing `*` matches all keys with that prefix',
})

const IngestTokenId = Nullable(
	Type.String({
		maxLength: 64,
		description: 'Only for telemetry sent with this ingest token; null: for everything in the workspace',
	}),
)

const readOnly = { id: Id, created_at: Time, updated_at: Time }
export const RedactionRule = Strict(
	{
		...readOnly,
		name: Type.String(),
		pattern: Type.String(),
		label: Type.String(),
		applies_to: Type.Array(OneOf(redactionTargets)),
		attribute_keys: Type.Array(Type.String()),
		ingest_token_id: IngestTokenId,
	},
	{ title: 'RedactionRule' },
)
const RedactionTrial = Strict(
	{
		text: Type.String({ description: 'The text as it would be stored' }),
		found: Type.Array(Type.String(), { description: 'Labels of rules and names of built-in detectors' }),
	},
	{ title: 'RedactionTrial' },
)
const reading = people('audit:read')
const writing = people('recording:write')

export const redactionRuleOperations = {
	list: operation({
		id: 'redaction-rules.list',
		method: 'GET',
		path: '/v1/redaction-rules',
		summary: "List the workspace's redaction rules",
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['name', 'created_at', 'updated_at'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict(
			{ redaction_rules: Type.Array(RedactionRule), pagination: Pagination },
			{ title: 'RedactionRuleList' },
		),
	}),
	create: operation({
		id: 'redaction-rules.create',
		method: 'POST',
		path: '/v1/redaction-rules',
		summary: 'Create a redaction rule: removes more from telemetry before it is stored',
		description:
			'It applies within a second to everything that arrives from then on. A workspace has at most 20 rules.',
		access: writing,
		body: Strict({
			name: Name,
			pattern: Pattern,
			label: Label,
			applies_to: AppliesTo,
			attribute_keys: Type.Optional(AttributeKeys),
			ingest_token_id: Type.Optional(IngestTokenId),
		}),
		status: 201,
		response: RedactionRule,
		problems: ['conflict', 'name_taken'],
	}),
	try: operation({
		id: 'redaction-rules.try',
		method: 'POST',
		path: '/v1/redaction-rules/try',
		summary: 'Try redaction on a text; nothing is stored',
		description:
			'With `pattern` and `label` only that rule is applied, otherwise the built-in detectors and the rules of the workspace.',
		access: writing,
		body: Strict({
			text: Type.String({ maxLength: 20_000 }),
			pattern: Type.Optional(Pattern),
			label: Type.Optional(Label),
		}),
		status: 200,
		response: RedactionTrial,
	}),
	get: operation({
		id: 'redaction-rules.get',
		method: 'GET',
		path: '/v1/redaction-rules/{id}',
		summary: 'Get a redaction rule',
		access: reading,
		params: IdParams,
		status: 200,
		response: RedactionRule,
	}),
	update: operation({
		id: 'redaction-rules.update',
		method: 'PATCH',
		path: '/v1/redaction-rules/{id}',
		summary: 'Change a redaction rule; stored data does not change',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...optional(readOnly),
				name: Type.Optional(Name),
				pattern: Type.Optional(Pattern),
				label: Type.Optional(Label),
				applies_to: Type.Optional(AppliesTo),
				attribute_keys: Type.Optional(AttributeKeys),
				ingest_token_id: Type.Optional(IngestTokenId),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: RedactionRule,
		problems: ['name_taken'],
	}),
	delete: operation({
		id: 'redaction-rules.delete',
		method: 'DELETE',
		path: '/v1/redaction-rules/{id}',
		summary: 'Delete a redaction rule; the built-in detectors stay',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
