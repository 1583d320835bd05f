import { Type } from 'typebox'
import { people } from './access.ts'
import { Nullable, OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'

/**
 * The classes of requests that share a rate limit, and by what they are counted: per credential, or per address for requests without a
 * valid one.
 */
export const limitClasses = {
	api: 'credential',
	anonymous: 'address',
	mcp: 'credential',
	model: 'credential',
	otlp: 'credential',
} as const
export type LimitClass = keyof typeof limitClasses

const classNames = Object.keys(limitClasses) as LimitClass[]
const quota = {
	class: OneOf(classNames, {
		description:
			'`api`: the platform API; `mcp`, `model` and `otlp`: the data plane; `anonymous`: public endpoints and failed authentication',
	}),
	requests: Nullable(
		Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Requests in a window; null: no limit' }),
	),
	window_s: Nullable(
		Type.Integer({ minimum: 1, maximum: 86_400, description: 'Null when there is no limit' }),
	),
}
const per = OneOf(['credential', 'address'], {
	description: 'Whether requests are counted per credential or per address',
})
const source = OneOf(['default', 'operator', 'workspace'], { description: 'Who set it' })

export const Limit = Strict({ ...quota, per, source }, { title: 'Limit' })
const LimitList = Strict({ limits: Type.Array(Limit) }, { title: 'LimitList' })

const description =
	'A quota may be used in one burst and refills evenly over its window. Answers of the platform API show it in `RateLimit-Policy` and `RateLimit`. Each node counts separately.'

export const limitOperations = {
	list: operation({
		id: 'limits.list',
		method: 'GET',
		path: '/v1/limits',
		summary: 'Get the rate limits of the workspace',
		description,
		access: people(),
		status: 200,
		response: LimitList,
	}),
	replace: operation({
		id: 'limits.replace',
		method: 'PUT',
		path: '/v1/limits',
		summary: 'Set the rate limits of the workspace, within those of the instance',
		description:
			'A class that is absent, or equal to that of the instance, follows the instance from then on. Only the operator can set `anonymous`.',
		access: people('workspace:write'),
		body: Strict({
			limits: Type.Array(Strict({ ...quota, per: Type.Optional(per), source: Type.Optional(source) }), {
				maxItems: classNames.length,
			}),
		}),
		status: 200,
		response: LimitList,
	}),
}
