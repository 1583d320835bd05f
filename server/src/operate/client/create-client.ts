import type { components, paths } from '@signalbox/contract/api'
import createFetchClient, { type Client as FetchClient, type Middleware } from 'openapi-fetch'
import { problemOf, unreachable } from './api-problem.ts'
import { patientFetch } from './patient-fetch.ts'

/** The shapes of the API by their titles in the contract. */
export type Schemas = components['schemas']
export type Client = FetchClient<paths>

export interface ClientOptions {
	/** Address of the instance, with its path prefix if it has one. */
	baseUrl: string
	/** A platform key or an access token; null for what is public. */
	key: string | null
	/** Requests that the instance puts off are sent again, as are those that a broken connection may have lost. */
	patient?: true
}

/**
 * A typed client of the platform API, made from its OpenAPI document. Calls resolve to `{data, response}` and throw an
 * `ApiProblem` for every answer that is no success, and when there is none.
 */
export function createClient({ baseUrl, key, patient }: ClientOptions): Client {
	const base = baseUrl.replace(/\/+$/, '')
	const client = createFetchClient<paths>({
		baseUrl: base,
		...(patient && { fetch: patientFetch }),
		...(key !== null && { headers: { authorization: `Bearer ${key}` } }),
	})
	client.use(throwProblems(base))
	return client
}

function throwProblems(baseUrl: string): Middleware {
	return {
		onResponse: async ({ response }) => {
			if (!response.ok) throw problemOf(response, await response.json().catch(() => null))
		},
		onError: ({ error }) => unreachable(baseUrl, error),
	}
}

/** The body of a success. */
export async function take<T>(
	call: Promise<{ data?: T; response: Response }>,
): Promise<Exclude<T, undefined>> {
	return (await call).data as Exclude<T, undefined>
}
