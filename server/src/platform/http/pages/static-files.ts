import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../errors.ts'

export function newNonce(): string {
	return randomBytes(16).toString('base64')
}

/** Everything must come from this origin; inline styles and scripts need the nonce of this response. */
export function strictPolicy(nonce: string): string {
	return policy({ script: `'self' 'nonce-${nonce}'`, style: `'self' 'nonce-${nonce}'`, more: [] })
}

/** The reference creates style elements, so only its page allows them; scripts are as restricted as elsewhere. */
export function referencePolicy(nonce: string): string {
	return policy({
		script: `'self' 'nonce-${nonce}'`,
		style: "'self' 'unsafe-inline'",
		more: ['worker-src blob:'],
	})
}

function policy({ script, style, more }: { script: string; style: string; more: string[] }): string {
	return [
		"default-src 'none'",
		`script-src ${script}`,
		`style-src ${style}`,
		"img-src 'self' data:",
		"font-src 'self'",
		"connect-src 'self'",
		"manifest-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		...more,
	].join('; ')
}

/** Headers of every page: no sniffing, no framing, no referrer to other sites. */
const pageHeaders = {
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cross-origin-opener-policy': 'same-origin',
	'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

interface Content {
	/** Without charset; text is always UTF-8. */
	type: string
	body: string
	status?: number
	headers?: Record<string, string>
}

/** Sends a text made for this request, which caches must not store. HEAD gets the same headers. */
export function sendBytes(request: IncomingMessage, response: ServerResponse, content: Content): void {
	const bytes = Buffer.from(content.body)
	response.writeHead(content.status ?? 200, {
		...pageHeaders,
		'content-type': `${content.type}; charset=utf-8`,
		'content-length': bytes.length,
		'cache-control': 'no-store',
		...content.headers,
	})
	response.end(request.method === 'HEAD' ? undefined : bytes)
}

const types: Record<string, string> = {
	'.css': 'text/css; charset=utf-8',
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
	'.json': 'application/json',
	'.map': 'application/json',
	'.png': 'image/png',
	'.svg': 'image/svg+xml',
	'.woff2': 'font/woff2',
}

interface File {
	path: string
	size: number
	gzip: { path: string; size: number } | null
	etag: string
}

export interface StaticFiles {
	has(path: string): Promise<boolean>
	/** The text of a file, or null. */
	read(path: string): Promise<string | null>
	/** Responds with a file, compressed if the build left a `.gz` beside it; an unknown path is a 404 problem. */
	answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
}

/**
 * The files below a directory. Only names found by listing it are ever opened, so no request path can escape it. The list is made
 * at the first request and again after the directory was rebuilt.
 */
export function createStaticFiles(directory: string): StaticFiles {
	let listed: { atMs: number; files: Map<string, File> } | null = null

	async function files(): Promise<Map<string, File>> {
		const builtAtMs = await stat(directory).then(
			({ mtimeMs }) => mtimeMs,
			() => 0,
		)
		if (listed?.atMs !== builtAtMs)
			listed = { atMs: builtAtMs, files: builtAtMs ? await list(directory) : new Map() }
		return listed.files
	}

	return {
		has: async (path) => (await files()).has(path),
		read: async (path) => {
			const file = (await files()).get(path)
			return file ? readFile(file.path, 'utf8') : null
		},
		answer: async (request, response, path) => {
			const file = (await files()).get(path)
			if (!file) throw new Problem('not_found', 'There is no such file.')
			await sendFile(request, response, file, path)
		},
	}
}

async function list(directory: string): Promise<Map<string, File>> {
	const entries = await readdir(directory, { recursive: true, withFileTypes: true })
	const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
	const sizes = new Map(
		await Promise.all(paths.map(async (path) => [path, (await stat(path)).size] as const)),
	)
	const files = new Map<string, File>()
	for (const [path, size] of sizes) {
		if (path.endsWith('.gz')) continue
		const gzipSize = sizes.get(`${path}.gz`)
		files.set(
			path
				.slice(directory.length)
				.replace(/^[/\\]/, '')
				.replaceAll('\\', '/'),
			{
				path,
				size,
				gzip: gzipSize === undefined ? null : { path: `${path}.gz`, size: gzipSize },
				etag: `"${createHash('sha256')
					.update(await readFile(path))
					.digest('base64url')
					.slice(0, 22)}"`,
			},
		)
	}
	return files
}

async function sendFile(
	request: IncomingMessage,
	response: ServerResponse,
	file: File,
	path: string,
): Promise<void> {
	const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')) ? file.gzip : null
	const headers = {
		...pageHeaders,
		'cache-control': hasHashInName(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
		etag: gzip ? file.etag.replace(/"$/, '-gz"') : file.etag,
		vary: 'accept-encoding',
	}
	if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(headers.etag)) {
		response.writeHead(304, headers).end()
		return
	}
	response.writeHead(200, {
		...headers,
		'content-type': types[extname(path)] ?? 'application/octet-stream',
		'content-length': (gzip ?? file).size,
		...(gzip && { 'content-encoding': 'gzip' }),
	})
	if (request.method === 'HEAD') return void response.end()
	await pipeline(createReadStream((gzip ?? file).path), response).catch(() => response.destroy())
}

/** The bundler puts a hash of the content into the names below `assets/`. */
function hasHashInName(path: string): boolean {
	return path.startsWith('assets/')
}
