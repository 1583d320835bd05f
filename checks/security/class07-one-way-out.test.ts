import { describe, expect, it } from 'vitest'
import { importsOf, readSource, repositoryFiles } from '../src/source-files.ts'

/** The files that open connections, and why each is not safe-fetch. */
const allowed: Record<string, string> = {
	'server/src/platform/safe-fetch.ts': 'is the one way out',
	'server/src/platform/safe-fetch-connector.ts': 'checks its addresses',
	'server/src/platform/node-http.ts': 'only listens',
	'server/src/operate/demo/demo-hosts.ts':
		'leads safe-fetch to its own listener, for names that do not exist',
}
const program = repositoryFiles('.ts').filter(
	(path) => path.startsWith('server/src/') && !/\.test\.ts$|testing|\/client\//.test(path),
)

// What reaches whom is tried by ssrf-addresses, ssrf-redirects, ssrf-rebinding and ssrf-sign-in in this folder.
// Flowise had a safe wrapper that its tools did not use (CVE-2026-43995, CVE-2026-69257).
describe('no file of the program goes around safe-fetch', () => {
	it('by the fetch of the platform', () => {
		const wrong = program.filter((path) =>
			/(?<![.\w])(globalThis\.)?fetch\(\s*[`'"a-z]|new (WebSocket|EventSource|XMLHttpRequest)\(/.test(
				withoutComments(path),
			),
		)
		expect(wrong.filter((path) => !(path in allowed))).toEqual([])
	})

	it('by undici, or the modules of Node that connect', () => {
		const wrong = program.flatMap((path) =>
			importsOf(path)
				.filter((name) => /^(undici|(node:)?(https?|http2|net|tls|dgram|dns)(\/promises)?)$/.test(name))
				.filter(() => connects(path))
				.map((name) => `${path} → ${name}`),
		)
		expect(wrong.filter((line) => !((line.split(' ')[0] as string) in allowed))).toEqual([])
	})
})

/** Whether a file does more with these modules than to name types, to listen or to classify addresses. */
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
