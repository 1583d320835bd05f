import type { components, paths } from '@signalbox/contract/api'
import createClient from 'openapi-fetch'
import { baseUrl } from './lib/base-url.ts'
import { dashboardHeader, sessionFetch } from './lib/session-fetch.ts'

/** The schemas of the API by their titles in the contract. */
export type Schemas = components['schemas']

export const api = createClient<paths>({
	baseUrl,
	fetch: sessionFetch,
	headers: dashboardHeader,
	credentials: 'same-origin',
})

/** A failure of the API, or of the connection to it (`status` 0). */
export class ApiError extends Error {
	readonly status: number
	readonly code: string
	readonly title: string
	readonly requestId: string | null
	readonly fields: { pointer: string; detail: string }[]

	constructor(problem: Partial<Schemas['Problem']>, status: number) {
		const { title, detail = 'The server could not answer this request.' } = problem
		// A text that is the title and the remedy: screens show the remedy beside it, in their own words.
		super(title !== undefined && detail.startsWith(`${title}. `) ? title : detail)
		this.status = status
		this.code = problem.code ?? 'unknown'
		this.title = title ?? 'The request failed'
		this.requestId = problem.request_id ?? null
		this.fields = problem.errors ?? []
	}
}

interface Answer {
	data?: unknown
	error?: unknown
	response: Response
}

/** The data of a call, or an `ApiError`. */
export async function unwrap<T extends Answer>(call: Promise<T>): Promise<Exclude<T['data'], undefined>> {
	const { data, error, response } = await call.catch((cause: unknown) => {
		throw unreachable(cause)
	})
	if (!response.ok) {
		const problem = typeof error === 'object' && error !== null ? error : {}
		if (!('code' in problem) && proxyFailures.includes(response.status)) throw noAnswer()
		throw new ApiError(
			{ request_id: response.headers.get('x-request-id') ?? '', ...problem },
			response.status,
		)
	}
	return data as Exclude<T['data'], undefined>
}

/** The paths of objects that can be read and changed. */
type Changeable = {
	[P in keyof paths]: paths[P] extends { get: object; patch: { requestBody: object } } ? P : never
}[keyof paths]
type PatchOf<P extends Changeable> = NonNullable<paths[P]['patch']>
type NamesOf<P extends Changeable> = PatchOf<P> extends { parameters: { path: infer Names } } ? Names : never
type BodyOf<P extends Changeable> =
	PatchOf<P> extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never
type ObjectOf<P extends Changeable> =
	PatchOf<P> extends {
		responses: { 200: { content: { 'application/json': infer Changed } } }
	}
		? Changed
		: never
type Send = (path: string, init: object) => Promise<Answer>

/**
 * Changes fields of an object that was `shown` to the person, unless somebody else has changed one of them since. All other fields
 * belong to whoever changed them last.
 */
export async function changeShown<P extends Changeable>(
	path: P,
	names: NamesOf<P>,
	shown: object,
	body: BodyOf<P>,
): Promise<ObjectOf<P>> {
	const { GET, PATCH } = api as unknown as Record<'GET' | 'PATCH', Send>
	const params = { path: names }
	const reading = GET(path, { params })
	refuseOvertaken(shown, (await unwrap(reading)) as object, body as object)
	const headers = { 'if-match': (await reading).response.headers.get('etag') ?? '*' }
	return (await unwrap(PATCH(path, { params, headers, body }))) as ObjectOf<P>
}

/** Throws if one of the wanted fields is stored with another value than the one that was shown. */
export function refuseOvertaken(shown: object, stored: object, wanted: object): void {
	const title = 'It was changed in the meantime'
	const textOf = (object: object, field: string) => JSON.stringify(object[field as keyof object])
	const isOvertaken = (field: string) =>
		field in shown &&
		field in stored &&
		![textOf(shown, field), textOf(wanted, field)].includes(textOf(stored, field))
	if (Object.keys(wanted).some(isOvertaken))
		throw new ApiError({ code: 'precondition_failed', title, detail: title }, 412)
}

interface ListPage {
	pagination: { total_pages: number }
}

/** A browser has six connections to an address; two are left for the screen itself. */
const pagesAtOnce = 4

/** All pages of a list, for choices and for names: people must be able to choose what is not on the first one. */
export async function readAllPages<P extends ListPage>(read: (page: number) => Promise<P>): Promise<P[]> {
	const pages = [await read(1)]
	const last = pages[0]?.pagination.total_pages ?? 1
	while (pages.length < last) {
		const numbers = Array.from(
			{ length: Math.min(pagesAtOnce, last - pages.length) },
			(_, at) => pages.length + 1 + at,
		)
		pages.push(...(await Promise.all(numbers.map(read))))
	}
	return pages
}

/** What a proxy in front answers by itself, in its own format, while it cannot reach Signalbox. */
const proxyFailures = [502, 503, 504]

/** Converts a failed fetch into an error for people; any other cause is returned as it is. */
export function unreachable(cause: unknown): unknown {
	return cause instanceof TypeError ? noAnswer() : cause
}

function noAnswer(): ApiError {
	const problem = navigator.onLine
		? { title: 'Signalbox does not answer', detail: 'Check that the program runs and that you can reach it.' }
		: { title: 'You are offline', detail: 'Check the network of this device.' }
	return new ApiError({ ...problem, code: 'unreachable' as never }, 0)
}
