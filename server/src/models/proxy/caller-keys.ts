import type { IncomingHttpHeaders } from 'node:http'
import { tokenPrefixes } from '@signalbox/contract/constants'

const ourForm = new RegExp(`^(?:${Object.values(tokenPrefixes).join('|')})`)

/** Provider keys that the caller sent itself, by the field that contained them. */
export interface OwnKeys {
	bearer: string | null
	/** `x-api-key` */
	apiKey: string | null
	/** `x-goog-api-key` */
	googleKey: string | null
	/** `api-key` */
	azureKey: string | null
	/** `?key=` */
	queryKey: string | null
}

const none: OwnKeys = { bearer: null, apiKey: null, googleKey: null, azureKey: null, queryKey: null }

/**
 * The caller's own provider key counts only together with `x-service-api-key`: otherwise that header carries the Signalbox
 * credential.
 */
export function ownKeysOf(headers: IncomingHttpHeaders, search: string): OwnKeys {
	if (headers['x-service-api-key'] === undefined) return none
	return {
		bearer: foreign(headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1]),
		apiKey: foreign(headers['x-api-key']),
		googleKey: foreign(headers['x-goog-api-key']),
		azureKey: foreign(headers['api-key']),
		queryKey: search.includes('key=') ? foreign(new URLSearchParams(search).get('key')) : null,
	}
}

function foreign(value: unknown): string | null {
	return typeof value === 'string' && value !== '' && !ourForm.test(value) ? value : null
}

/** The query string without a `key` that is a Signalbox credential; with a stored key, without any `key`. */
export function searchToSend(search: string, storedKey: boolean): string {
	if (!search.includes('key')) return search
	const isUnwanted = (pair: string) => {
		const [name = '', value = ''] = pair.split('=', 2)
		return decodeOrSame(name) === 'key' && (storedKey || ourForm.test(decodeOrSame(value)))
	}
	return search
		.split('&')
		.filter((pair) => !isUnwanted(pair))
		.join('&')
}

function decodeOrSame(text: string): string {
	try {
		return decodeURIComponent(text)
	} catch {
		return text
	}
}
