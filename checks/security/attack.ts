import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { inject } from 'vitest'

export interface Answer {
	status: number
	headers: IncomingHttpHeaders
	text: string
	// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes.
	body: any
}

interface Attack {
	method?: string
	/** Value of the Host header. The connection goes to the instance in any case. */
	headers?: Record<string, string | string[]>
	body?: unknown
	url?: string
}

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

/** Sends a request to the shared instance with path and headers exactly as given. */
export function send(
	path: string,
	{ method, headers = {}, body, url = inject('program').url }: Attack = {},
): Promise<Answer> {
	const { hostname, port } = new URL(url)
	const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
	const type = bytes === undefined ? {} : { 'content-type': 'application/json' }
	return new Promise((resolve, reject) => {
		const options = { hostname, port, path, method: method ?? (bytes === undefined ? 'GET' : 'POST') }
		const request = httpRequest({ ...options, headers: { ...type, ...headers } }, (response) => {
			const chunks: Buffer[] = []
			response.on('data', (chunk: Buffer) => chunks.push(chunk))
			response.on('end', () => {
				const text = Buffer.concat(chunks).toString()
				resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: readJson(text) })
			})
			response.on('error', reject)
		})
		request.on('error', reject)
		request.end(bytes)
	})
}

/** Like `send`, with the credential of the shared instance's owner. */
export const asOwner = (path: string, { headers, ...attack }: Attack = {}) =>
	send(path, { ...attack, headers: { ...bearer(inject('program').token), ...headers } })

/** Creates an object as the owner. Throws unless the status is 201 or 200. */
// biome-ignore lint/suspicious/noExplicitAny: each kind of object has different fields.
export async function make(path: string, body: object): Promise<any> {
	const answer = await asOwner(path, { body })
	if (answer.status !== 201 && answer.status !== 200)
		throw new Error(`${path}: ${answer.status} ${answer.text}`)
	return answer.body
}

/** Creates a user with this role in the owner's workspace and returns the access token. */
export async function makePerson(role: string): Promise<string> {
	const me = await asOwner('/auth/me')
	const email = `${role}-${Math.random().toString(36).slice(2)}@attack.example`
	const { link } = await make(`/v1/workspaces/${me.body.workspace.id}/invitations`, { email, role })
	const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token')
	const body = { token, password: 'a long enough passphrase' }
	return (await send('/auth/invitations/accept', { body })).body.token
}

/** Creates a user who owns another workspace and returns the access token. */
export async function makeStranger(): Promise<string> {
	const email = `stranger-${Math.random().toString(36).slice(2)}@attack.example`
	const answer = await send('/auth/register', { body: { email, password: 'a long enough passphrase' } })
	return answer.body.token
}

function readJson(text: string): unknown {
	const last = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1]
	try {
		return JSON.parse(last ?? text)
	} catch {
		return null
	}
}
