import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface GithubUser {
	id: number
	login: string
	emails: { email: string; primary: boolean; verified: boolean }[]
	teams: string[]
}

/**
 * A server that gives GitHub's documented responses (web application flow, REST API 2022-11-28), since GitHub itself cannot run
 * here. It checks what GitHub checks: client, single use of the code, redirect URL, PKCE, token, `user-agent`.
 */
export async function startGithub(user: () => GithubUser) {
	const codes = new Map<string, URLSearchParams>()
	const tokens = new Set<string>()
	const api: Record<string, () => unknown> = {
		'/api/v3/user': () => ({ id: user().id, login: user().login, name: null }),
		'/api/v3/user/emails': () => user().emails,
		'/api/v3/user/teams': () =>
			user().teams.map((slug) => ({ slug, name: slug, organization: { login: 'acme', id: 1 } })),
	}
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? '/', 'http://github.invalid')
		const send = (status: number, body: unknown) =>
			response
				.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
				.end(JSON.stringify(body))
		if (url.pathname === '/login/oauth/authorize') {
			const code = randomUUID()
			codes.set(code, url.searchParams)
			const back = new URL(url.searchParams.get('redirect_uri') ?? '')
			back.searchParams.set('code', code)
			back.searchParams.set('state', url.searchParams.get('state') ?? '')
			return response.writeHead(302, { location: back.href }).end()
		}
		if (url.pathname === '/login/oauth/access_token') {
			const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
			const asked = codes.get(form.get('code') ?? '')
			codes.delete(form.get('code') ?? '')
			const hash = await crypto.subtle.digest('SHA-256', Buffer.from(form.get('code_verifier') ?? ''))
			const proven = Buffer.from(hash).toString('base64url') === asked?.get('code_challenge')
			const fits =
				form.get('client_secret') === 'github secret' &&
				form.get('redirect_uri') === asked?.get('redirect_uri')
			if (!proven || !fits) return send(200, { error: 'bad_verification_code', error_description: 'expired' })
			const token = `gho_${randomUUID()}`
			tokens.add(token)
			return send(200, {
				access_token: token,
				token_type: 'bearer',
				scope: (asked?.get('scope') ?? '').replaceAll(' ', ','),
			})
		}
		const known = tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')
		if (!known || !request.headers['user-agent']) return send(401, { message: 'Bad credentials' })
		return send(200, api[url.pathname]?.() ?? { message: 'Not Found' })
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	return { url, close: () => void server.close() }
}
