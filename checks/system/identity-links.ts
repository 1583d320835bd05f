import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { vi } from 'vitest'
import { call, owner } from '../../server/src/program/program.testing.ts'
import type { Identity } from './identities.ts'
import { clientSession, sendTrace } from './tenancy-objects.ts'

/** The use of a link: the request that its page sends, and the status and problem code that must be returned. */
export interface LinkUse {
	name: string
	path: string
	body: Record<string, unknown>
	status: number
	code?: string
}

type Api = <T>(method: string, path: string, body?: unknown, expected?: number) => Promise<T>

/** Links in every state, in the order in which they have to be used, and their secrets as credentials, which no route accepts. */
export async function makeLinks(
	url: string,
	dataDir: string,
): Promise<{ uses: LinkUse[]; identities: Identity[] }> {
	const { token } = await call<{ token: string }>(url, 'POST', '/auth/login', owner, 200, '')
	const api: Api = (method, path, body, expected = 200) => call(url, method, path, body, expected, token)
	const store = new DatabaseSync(join(dataDir, 'control.db'))
	const shares = await makeShares(url, api, store)
	const mailed = await makeMailLinks(url, api, store)
	const invitations = await makeInvitations(api, store)
	store.close()
	const secrets = {
		'the secret of a share link': shares[0],
		'the secret of a revoked share link': shares[1],
		'the secret of an expired share link': shares[2],
		'the secret of a mail link': mailed[0],
		'the secret of an expired mail link': mailed.at(-1),
	}
	const identities = Object.entries(secrets).map(([name, use]) => {
		const headers = { authorization: `Bearer ${use?.body.token}` }
		return { name, headers, kind: 'broken' as const }
	})
	return { uses: [...shares, ...mailed, ...invitations], identities }
}

const secretIn = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''

async function makeShares(url: string, api: Api, store: DatabaseSync): Promise<LinkUse[]> {
	const ingest = await api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'links' }, 201)
	await sendTrace(url, ingest.token)
	await api('PUT', '/v1/sharing', { enabled: true })
	const make = () =>
		api<{ id: string; url: string }>('POST', `/v1/spotlight/sessions/${clientSession}/share`, {}, 201)
	// The session is found as soon as its span is stored.
	const valid = await vi.waitFor(make, { timeout: 30_000, interval: 200 })
	const [revoked, expired] = [await make(), await make()]
	await api('DELETE', `/v1/spotlight/shares/${revoked.id}`, undefined, 204)
	store.prepare('UPDATE session_shares SET expires_at = 1 WHERE id = ?').run(expired.id)
	const use = (name: string, share: { url: string }, status: number, code?: string): LinkUse => {
		const body = { token: new URL(share.url).hash.replace(/^#(token=)?/, '') }
		return { name, path: '/shared/session', body, status, ...(code && { code }) }
	}
	return [
		use('a share link', valid, 200),
		use('a revoked share link', revoked, 404, 'share_invalid'),
		use('an expired share link', expired, 404, 'share_invalid'),
	]
}

/** Without a mail server, operators get the links. */
async function makeMailLinks(url: string, api: Api, store: DatabaseSync): Promise<LinkUse[]> {
	const people = ['mailed@matrix.example', 'late@matrix.example']
	for (const email of people) {
		await call(url, 'POST', '/auth/register', { email, password: owner.password }, 201, '')
		await call(url, 'POST', '/auth/password/forgot', { email }, 202, '')
	}
	const list = async () => {
		const { mail_links } = await api<{ mail_links: { to: string; subject: string; link: string }[] }>(
			'GET',
			'/v1/mail-links?limit=100',
		)
		const links = mail_links.filter(({ to }) => people.includes(to))
		if (links.length < 4) throw new Error(`${links.length} of 4 mail links are listed`)
		return links
	}
	const links = await vi.waitFor(list, { timeout: 10_000, interval: 100 })
	const { changes } = store
		.prepare('UPDATE account_tokens SET expires_at = 1 WHERE email = ?')
		.run(people[1] as string)
	if (changes !== 2) throw new Error(`${changes} links were made to expire instead of 2`)
	const use = (name: string, person: number, page: string, status: number): LinkUse => {
		const found = links.find(({ to, link }) => to === people[person] && new URL(link).pathname.endsWith(page))
		const body = { token: secretIn(found?.link ?? '') }
		const code = status === 403 ? { code: 'mail_link_invalid' } : {}
		if (page === '/verify') return { name, path: '/auth/verify', body, status, ...code }
		const password = 'another long enough passphrase'
		return { name, path: '/auth/password/reset', body: { ...body, password }, status, ...code }
	}
	return [
		use('a link that confirms an address', 0, '/verify', 200),
		use('a link that confirms an address, used before', 0, '/verify', 403),
		use('an expired link that confirms an address', 1, '/verify', 403),
		use('a link that resets a password', 0, '/reset', 204),
		use('a link that resets a password, used before', 0, '/reset', 403),
		use('an expired link that resets a password', 1, '/reset', 403),
	]
}

async function makeInvitations(api: Api, store: DatabaseSync): Promise<LinkUse[]> {
	const { workspace } = await api<{ workspace: { id: string } }>('GET', '/auth/me')
	const path = `/v1/workspaces/${workspace.id}/invitations`
	const invite = (name: string) =>
		api<{ id: string; link: string }>('POST', path, { email: `${name}@matrix.example`, role: 'viewer' }, 201)
	const [valid, revoked, expired] = [await invite('new'), await invite('unwanted'), await invite('slow')]
	await api('DELETE', `${path}/${revoked.id}`, undefined, 204)
	store.prepare('UPDATE invitations SET expires_at = 1 WHERE id = ?').run(expired.id)
	const use = (name: string, { link }: { link: string }, status: number): LinkUse => ({
		...{ name, path: '/auth/invitations/accept', status },
		...(status === 403 && { code: 'invitation_invalid' }),
		body: { token: secretIn(link), password: owner.password },
	})
	return [
		use('an invitation', valid, 200),
		use('an accepted invitation', valid, 403),
		use('a revoked invitation', revoked, 403),
		use('an expired invitation', expired, 403),
	]
}
