import { request as httpRequest } from 'node:http'
import { type Role, tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config/config.ts'
import { newToken } from '../../server/src/platform/crypto/token.ts'
import type { Route } from '../../server/src/platform/http/route.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import { fillNewDataDir, newDataDir, owner, removeDataDir } from '../../server/src/program/program.testing.ts'
import { type Running, run } from '../../server/src/program/run.ts'
import { type Cast, type Identity, makeIdentities } from './identities.ts'
import { type LinkUse, makeLinks } from './identity-links.ts'
import { identityRules, passing, type Rule } from './identity-rules.ts'

describe('every route × every kind of caller', () => {
	const dataDir = newDataDir()
	let running: Running
	let cast: Cast
	let linkUses: LinkUse[]

	beforeAll(async () => {
		const settings = {
			PORT: '0',
			OTLP_HTTP_PORT: '0',
			OTLP_GRPC_PORT: '0',
			DATA_DIR: dataDir,
			RATE_LIMITS: 'api=off,anonymous=off',
			OVERLOAD_LAG_MS: '0',
			INIT_ADMIN_EMAIL: owner.email,
			INIT_ADMIN_PASSWORD: owner.password,
		}
		await fillNewDataDir(dataDir)
		running = await run(
			readConfig(
				Object.fromEntries(Object.entries(settings).map(([name, value]) => [`SIGNALBOX_${name}`, value])),
			),
			silentLog,
		)
		cast = await makeIdentities(running.address)
		const links = await makeLinks(running.address, dataDir)
		linkUses = links.uses
		cast.identities.push(...links.identities)
	})
	afterAll(async () => {
		await running?.stop()
		removeDataDir(dataDir)
	})

	it('has exactly one entry for each route', () => {
		const ids = running.routes.map(({ id }) => id)
		expect(ids.filter((id) => !(id in identityRules))).toEqual([])
		expect(Object.keys(identityRules).filter((id) => !ids.includes(id))).toEqual([])
		expect(new Set(ids).size).toBe(ids.length)
	})

	it('makes exactly the listed routes public', () => {
		const open = running.routes.filter((route) => route.access.public).map(({ id }) => id)
		expect(open.sort()).toEqual(
			Object.keys(identityRules)
				.filter((id) => isOpen(identityRules[id]))
				.sort(),
		)
	})

	it('answers 404 on link routes for every other credential with an unknown link secret', async () => {
		const endpoints = running.routes.filter(({ id }) => identityRules[id] === 'link')
		const body = JSON.stringify({ token: newToken(tokenPrefixes.share) })
		for (const { id, method, path } of endpoints)
			for (const { name, headers } of cast.identities) {
				const answer = await fetch(running.address + path, {
					...{ method, body, headers: { ...headers, 'content-type': 'application/json' } },
				})
				expect([id, name, answer.status]).toEqual([id, name, 404])
			}
		expect(endpoints.length).toBeGreaterThan(0)
	})

	it('responds to each caller as the rule requires', async () => {
		const guarded = running.routes.filter((route) => !isOpen(identityRules[route.id])).flatMap(withSlash)
		// Signing out ends the sessions of the callers, so it comes last. Signing out everywhere keeps the current session.
		guarded.sort((a, b) => Number(a.id === 'auth.logout') - Number(b.id === 'auth.logout'))
		const { identities, workspaceId } = cast
		const wrong: string[] = []
		for (const route of guarded) {
			const ask = async (identity: Identity) => {
				const path = identity.outsider
					? route.path.replace('workspaces/{id}', `workspaces/${workspaceId}`)
					: route.path
				const expected = expectedOutcome(identityRules[route.id] as Rule, identity)
				const status = await statusOf(
					running.address,
					route.method === '*' ? 'POST' : route.method,
					route.id === 'auth.sessions.end' ? `${path}?keep_current=true` : path,
					identity.headers,
				)
				const isUnknown = expected === 'passes' && path.includes(workspaceId)
				// A body that fails its schema is refused before anything is looked up.
				const isRight = isUnknown ? status === 404 || status === 400 : agrees(expected, status)
				if (!isRight) wrong.push(`${route.id} for ${identity.name}: expected ${expected}, got ${status}`)
			}
			// In parallel, since a refused request mostly waits for its audit record. Signing out runs one by one because it ends sessions.
			if (route.id === 'auth.logout') for (const identity of identities) await ask(identity)
			else await Promise.all(identities.map(ask))
		}
		expect(wrong).toEqual([])
		console.log(`${guarded.length} guarded routes × ${identities.length} callers, all as the rule says`)
	})

	// After the other tests, so that the links were valid when these tried their secrets as credentials.
	it('accepts the secret of a valid link, and refuses one that was used or revoked or has expired', async () => {
		for (const { name, path, body, status, code } of linkUses) {
			const response = await fetch(running.address + path, {
				method: 'POST',
				body: JSON.stringify(body),
				headers: { 'content-type': 'application/json' },
			})
			const text = await response.text()
			const problem = status >= 400 ? (JSON.parse(text) as { code?: string }).code : undefined
			expect([name, response.status, problem]).toEqual([name, status, code])
		}
	})
})

/** A route that also accepts a trailing slash is tested with both paths. */
function withSlash({ id, method, path, slash }: Route) {
	const plain = { id, method, path }
	return slash ? [plain, { ...plain, path: `${path}/` }] : [plain]
}

const isOpen = (rule: Rule | undefined) => rule === 'public' || rule === 'link'

type Outcome = 'passes' | 400 | 401 | 403

function expectedOutcome(rule: Rule, identity: Identity): Outcome {
	if (identity.kind === 'ambiguous') return 400
	if (identity.kind === 'refused') return 403
	if (identity.kind === 'none' || identity.kind === 'broken' || isOpen(rule)) return 401
	if (rule === 'ingest') return identity.kind === 'ingest_token' ? 'passes' : 401
	if (typeof rule === 'object' && 'telemetryBy' in rule) {
		if (identity.kind === 'user') return byRole(identity, rule.telemetryBy)
		return identity.kind === 'ingest_token' ? 'passes' : 401
	}
	if (identity.kind === 'ingest_token') return 401
	if (rule === 'operator') return identity.kind !== 'user' ? 401 : identity.operator ? 'passes' : 403
	if ('invoke' in rule)
		return identity.kind === 'user'
			? 401
			: identity.kind === 'agent_key' || identity.allScopes
				? 'passes'
				: 403
	if (identity.kind === 'agent_key') return 401
	if (identity.kind === 'platform_key')
		return !rule.scope ? 401 : hasScope(identity, rule.scope) ? 'passes' : 403
	return byRole(identity, rule.role)
}

function hasScope({ allScopes, scope }: Identity, needed: string): boolean {
	return allScopes === true || needed === 'any' || scope === needed
}

function byRole({ role }: Identity, rule: Role | readonly Role[]): Outcome {
	const allowed = typeof rule === 'string' ? passing[rule] : rule
	return allowed.includes(role as Role) ? 'passes' : 403
}

/** Whether a status matches the expected outcome. A caller that passes gets any other response of the route to the dummy ids and bodies. */
function agrees(expected: Outcome, status: number): boolean {
	return expected === 'passes' ? status !== 401 && status !== 403 && status < 500 : status === expected
}

function statusOf(
	address: string,
	method: string,
	path: string,
	headers: Record<string, string>,
): Promise<number> {
	const target = path
		.replaceAll(/\{\w+\.\.\.\}/g, 'v1/models')
		.replaceAll(/\{\w+\}/g, '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213')
	return new Promise((resolve, reject) => {
		const request = httpRequest(address + target, { method, headers }, (response) => {
			// A stream never ends, so close it. Drain other responses so that their connections can be reused.
			if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy()
			else response.resume()
			resolve(response.statusCode ?? 0)
		})
		request.on('error', reject)
		request.end()
	})
}
