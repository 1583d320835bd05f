import { describe, expect, it } from 'vitest'
import { importsOf, readSource, repositoryFiles } from '../src/source-files.ts'

/** The files that may open connections or use these modules, and why. */
const allowed: Record<string, string> = {
	'server/src/platform/safe-fetch.ts': 'makes all outbound requests, and checks their addresses',
	'server/src/platform/node-http.ts': 'only listens',
	'server/src/operate/demo/demo-hosts.ts':
		'directs safe-fetch to its own listener, for host names that do not exist',
}
const program = repositoryFiles('.ts').filter(
	(path) => path.startsWith('server/src/') && !/\.test\.ts$|testing|\/client\//.test(path),
)

// The tests ssrf-upstreams and ssrf-sign-in in this folder try which addresses can be reached.
// Flowise had a safe wrapper for requests that its tools did not use (CVE-2026-43995, CVE-2026-69257).
describe('no file of the program bypasses safe-fetch', () => {
	it('with the global fetch', () => {
		const wrong = program.filter((path) =>
			/(?<![.\w])(globalThis\.)?fetch\(\s*[`'"a-z]|new (WebSocket|EventSource|XMLHttpRequest)\(/.test(
				withoutComments(path),
			),
		)
		expect(wrong.filter((path) => !(path in allowed))).toEqual([])
	})

	it('with undici or the modules of Node that open connections', () => {
		const wrong = program.flatMap((path) =>
			importsOf(path)
				.filter((name) => /^(undici|(node:)?(https?|http2|net|tls|dgram|dns)(\/promises)?)$/.test(name))
				.filter(() => connects(path))
				.map((name) => `${path} → ${name}`),
		)
		expect(wrong.filter((line) => !((line.split(' ')[0] as string) in allowed))).toEqual([])
	})
})

/** Whether a file uses these modules for more than types, listening or classifying addresses. */
function connects(path: string): boolean {
	const source = withoutComments(path).replace(/import type [^\n]*/g, '')
	return (
		/\b(request|connect|createConnection|get)\(\s*[{`'"u]|new (Agent|Pool|Client|Socket)\(|undiciFetch|lookup as /.test(
			source,
		) && /from '(undici|(node:)?(https?|http2|net|tls|dgram|dns))/.test(source)
	)
}

function withoutComments(path: string): string {
	return readSource(path).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
}
