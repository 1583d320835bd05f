import type { IncomingHttpHeaders } from 'node:http'

const ourForm = /^(?:sk|it|rt|su)_service_/

/** Provider keys that the caller sent itself, by the header they came in. */
export interface OwnKeys {
	bearer: string | null
	apiKey: string | null
}

/** The caller's own provider key counts only beside `x-service-api-key`: else that header carries our credential. */
export function ownKeysOf(headers: IncomingHttpHeaders): OwnKeys {
	if (headers['x-service-api-key'] === undefined) return { bearer: null, apiKey: null }
	const bearer = headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1]
	return { bearer: foreign(bearer), apiKey: foreign(headers['x-api-key']) }
}

function foreign(value: unknown): string | null {
	return typeof value === 'string' && value !== '' && !ourForm.test(value) ? value : null
}

/** The query string without a `key` that is one of our credentials. */
export function withoutOurKey(search: string): string {
	if (!search.includes('_service_')) return search
	const isOurs = (pair: string) => {
		const [name = '', value = ''] = pair.split('=', 2)
		return name === 'key' && ourForm.test(decodeOrSame(value))
	}
	return search
		.split('&')
		.filter((pair) => !isOurs(pair))
		.join('&')
}

function decodeOrSame(text: string): string {
	try {
		return decodeURIComponent(text)
	} catch {
		return text
	}
}
