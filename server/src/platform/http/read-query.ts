import { parse } from 'node:querystring'
import type { ErrorObject } from 'ajv'
import type { Static, TObject } from 'typebox'
import { createValidatorCompiler, refuseBadText, toInvalidRequest } from './validation.ts'

const compile = createValidatorCompiler()

/**
 * Reads the query string of a route that is no operation of the API (one that streams), by the same rules: unknown
 * fields and bad values throw `invalid_request`, defaults are filled in.
 */
export function createQueryReader<T extends TObject>(schema: T): (search: string) => Static<T> {
	const validate = compile({ schema, method: 'GET', url: '', httpPart: 'querystring' })
	return (search) => {
		const query = { ...parse(search) }
		refuseBadText(query)
		if (!validate(query)) throw toInvalidRequest(validate.errors as ErrorObject[], 'querystring')
		return query as Static<T>
	}
}
