import type { Static, TObject, TSchema } from 'typebox'
import type { Access } from './access.ts'
import type { ProblemCode } from './problems.ts'

/** One endpoint of the platform API as data. The server, the OpenAPI document and the clients are derived from it. */
export interface Operation {
	/** Unique, `area.verb`: `agents.create`. */
	id: string
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	/** Parameters are `{name}`, as in OpenAPI. */
	path: string
	summary: string
	description?: string
	access: Access
	params?: TObject
	query?: TObject
	body?: TSchema
	/** The status and the body of success; `null` is a response without a body. */
	status: number
	response: TSchema | null
	/** Failures specific to this operation, in addition to those that every operation of its kind can answer (`problemStatusesOf`). */
	problems?: readonly ProblemCode[]
	/** For a GET: fields that change without anybody changing the object; `If-Match` ignores them. */
	observed?: readonly string[]
	/** Fields of the answer with a secret that is shown once; a repeated answer omits them. */
	secrets?: readonly string[]
	/** Available under overload too, and exempt from rate limits. */
	always?: true
}

/** Preserves the literal types of an operation. */
export function operation<const T extends Operation>(definition: T): T {
	return definition
}

type StaticOr<T, Otherwise> = T extends TSchema ? Static<T> : Otherwise

export type ParamsOf<T extends Operation> = StaticOr<T['params'], Record<string, never>>
export type QueryOf<T extends Operation> = StaticOr<T['query'], Record<string, never>>
export type BodyOf<T extends Operation> = StaticOr<T['body'], undefined>
export type OutputOf<T extends Operation> = StaticOr<T['response'], undefined>
