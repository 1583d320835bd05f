import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../log.ts'
import { createIngress } from '../ingress.ts'
import { type Listener, listen } from '../listener.ts'
import { LiveRequests } from '../live-requests.ts'
import { refuseWithProblem } from '../refusals.ts'
import { pageRoutes } from './pages.ts'

const root = mkdtempSync(join(tmpdir(), 'signalbox-pages-'))
const log = createLog('silent')
let listener: Listener
let origin: string

function writeDashboard(): void {
	mkdirSync(join(root, 'dashboard/assets'), { recursive: true })
	writeFileSync(
		join(root, 'dashboard/index.html'),
		'<script nonce="__CSP_NONCE__"></script><i>__CSP_NONCE__</i>',
	)
	writeFileSync(join(root, 'dashboard/assets/app-1a2b.js'), 'let app')
	writeFileSync(join(root, 'dashboard/assets/app-1a2b.js.gz'), gzipSync('let app'))
	writeFileSync(join(root, 'dashboard/favicon.svg'), '<svg/>')
	utimesSync(join(root, 'dashboard'), 1000, 1000)
}

beforeAll(async () => {
	writeFileSync(join(root, 'secret.txt'), 'secret')
	mkdirSync(join(root, 'reference'))
	writeFileSync(join(root, 'reference/reference.js'), 'let reference')
	const directories = { dashboard: join(root, 'dashboard'), reference: join(root, 'reference') }
	const refusals = {
		api: refuseWithProblem,
		page: refuseWithProblem,
		mcp: refuseWithProblem,
		model: refuseWithProblem,
		otlp: refuseWithProblem,
	}
	const ingress = createIngress({
		routes: pageRoutes({ version: '1.2.3', log, directories }),
		authenticate: () => null,
		refusals,
		checkOrigin: () => null,
		onDenied: () => {},
		liveRequests: new LiveRequests(),
		log,
	})
	listener = await listen('127.0.0.1', 0, ingress)
	origin = `http://127.0.0.1:${listener.port}`
})

afterAll(async () => {
	await listener.close(0)
	rmSync(root, { recursive: true })
})

/** Sends the path unchanged; fetch would normalise it. */
function raw(path: string): Promise<{ status: number; text: string }> {
	return new Promise((resolve, reject) => {
		httpRequest({ port: listener.port, host: '127.0.0.1', path }, (response) => {
			let text = ''
			response.on('data', (chunk) => (text += chunk))
			response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
		})
			.on('error', reject)
			.end()
	})
}

describe('pages', () => {
	test('before the build the dashboard says what to run', async () => {
		const response = await fetch(`${origin}/ui/`)
		expect(response.status).toBe(503)
		expect(await response.text()).toContain('npm run build')
		writeDashboard()
	})

	test('the root and /ui redirect to the dashboard', async () => {
		for (const path of ['/', '/ui']) {
			const response = await fetch(`${origin}${path}`, { redirect: 'manual' })
			expect(response.status).toBe(302)
			expect(new URL(response.headers.get('location') ?? '', `${origin}${path}`).pathname).toBe('/ui/')
		}
	})

	test('every client route gets the page with a nonce of its own under a strict policy', async () => {
		const nonces = new Set<string>()
		for (const path of ['/ui/', '/ui/servers/abc', '/ui/index.html']) {
			const response = await fetch(`${origin}${path}`)
			const policy = response.headers.get('content-security-policy') ?? ''
			const nonce = policy.match(/script-src 'self' 'nonce-([^']+)'/)?.[1] as string
			nonces.add(nonce)
			expect(await response.text()).toBe(`<script nonce="${nonce}"></script><i>${nonce}</i>`)
			expect(policy).not.toContain('unsafe')
			expect(policy).toContain("frame-ancestors 'none'")
			expect(response.headers.get('cache-control')).toBe('no-store')
			expect(response.headers.get('x-content-type-options')).toBe('nosniff')
		}
		expect(nonces.size).toBe(3)
	})

	test('assets are cached for long, compressed, and revalidated by ETag', async () => {
		const response = await fetch(`${origin}/ui/assets/app-1a2b.js`)
		expect(response.headers.get('cache-control')).toContain('immutable')
		expect(response.headers.get('content-encoding')).toBe('gzip')
		expect(await response.text()).toBe('let app')
		const again = await fetch(`${origin}/ui/assets/app-1a2b.js`, {
			headers: { 'if-none-match': response.headers.get('etag') ?? '' },
		})
		expect(again.status).toBe(304)
		const plain = await fetch(`${origin}/ui/assets/app-1a2b.js`, {
			headers: { 'accept-encoding': 'identity' },
		})
		expect(plain.headers.get('content-encoding')).toBe(null)
		expect(plain.headers.get('etag')).not.toBe(response.headers.get('etag'))
		expect((await fetch(`${origin}/ui/favicon.svg`)).headers.get('cache-control')).toBe('no-cache')
	})

	test('a missing asset is a 404, not the page', async () => {
		expect((await fetch(`${origin}/ui/assets/gone.js`)).status).toBe(404)
	})

	test('no spelling of a path leaves the directory', async () => {
		const paths = [
			'/ui/../secret.txt',
			'/ui/%2e%2e/secret.txt',
			'/ui/..%2fsecret.txt',
			'/ui/assets/..%5c..%5csecret.txt',
			'/ui/assets/../../secret.txt',
			'/ui//secret.txt',
			'/docs/assets/../../secret.txt',
		]
		for (const path of paths) {
			const { status, text } = await raw(path)
			expect(status, path).toBeGreaterThanOrEqual(400)
			expect(text, path).not.toBe('secret')
		}
	})

	test('HEAD responds like GET without a body', async () => {
		for (const path of ['/ui/', '/ui/assets/app-1a2b.js', '/openapi.json', '/docs', '/llms.txt']) {
			const response = await fetch(`${origin}${path}`, { method: 'HEAD' })
			expect(response.status, path).toBe(200)
			expect(Number(response.headers.get('content-length')), path).toBeGreaterThan(0)
			expect(await response.text()).toBe('')
		}
	})

	test('the OpenAPI document names the URL that was requested', async () => {
		const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
			servers: unknown
			info: { version: string }
		}
		expect(document.servers).toEqual([{ url: origin }])
		expect(document.info.version).toBe('1.2.3')
	})

	test('the reference brings its own script and allows no inline one', async () => {
		const response = await fetch(`${origin}/docs`)
		const page = await response.text()
		const sources = [...page.matchAll(/src="([^"]+)"/g)].map(([, source]) => source as string)
		expect(sources).toEqual(['/docs/assets/reference.js'])
		expect(await (await fetch(`${origin}${sources[0]}`)).text()).toBe('let reference')
		expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self' 'nonce-[^']+';/)
	})

	test('every problem type links to its explanation', async () => {
		const page = await (await fetch(`${origin}/docs/errors`)).text()
		expect(page).toContain('id="not_found"')
	})
})
