import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../errors.ts'
import { pageHeaders } from './send.ts'

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
	/** Answers with a file, compressed where the build left a `.gz` beside it; an unknown path is a 404 problem. */
	answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
}

/**
 * The files below a directory. Only names found by listing it are ever opened, so no path of a request can leave it.
 * The list is made at the first request and again when the directory was built anew.
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
