import { describe, expect, it } from 'vitest'
import { Problem } from '../../platform/errors.ts'
import type { ConnectionEntry } from './connections/connection-view.ts'
import { moveUploads, requestHeaders } from './forwarded-headers.ts'
import { resolveTarget } from './target.ts'

const origin = 'https://provider.example'
const started = { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' }

/** What becomes of the addresses in an answer to the first request of an upload. */
function moved(addresses: readonly string[], basePath = '/', path = 'upload/v1beta/files') {
	const connection: ConnectionEntry = {
		...{ id: 'c', workspaceId: 'w', name: 'g', provider: 'gemini', vendor: 'gemini' },
		...{ origin, basePath, key: 'AIza-stored', recordsBodies: true, injectsUsage: false },
	}
	const ownUrl = 'https://here.example/signalbox/proxy/g'
	const asked = { name: 'g', path, method: 'POST', search: '', headers: started, ownUrl }
	const raw = addresses.flatMap((address) => ['X-Goog-Upload-URL', address])
	return moveUploads(resolveTarget(asked, connection), [...raw, 'X-Other', '1'], {})
}

it('the provider reads the body and the method as they were read here', () => {
	const types = ['Content-Type', 'application/json', 'content-type', 'application/x-www-form-urlencoded']
	const others = [
		'Connection',
		'Content-Type, Content-Encoding, X-Hop',
		'Content-Encoding',
		'gzip',
		'X-Hop',
		'1',
	]
	const methods = ['X-HTTP-Method-Override', 'DELETE', 'X-HTTP-Method', 'GET', 'X-Method-Override', 'POST']
	expect(requestHeaders([...types, ...others, ...methods], ['x-api-key', 'k'])).toEqual([
		...['Content-Type', 'application/json', 'Content-Encoding', 'gzip', 'x-api-key', 'k'],
	])
})

describe('the address at which an upload continues', () => {
	it.each([
		['/', '/upload/v1beta/files?upload_id=a-b_1&upload_protocol=resumable'],
		['/deep/er', '/deep/er/upload/v1beta/files?upload_id=a-b_1&upload_protocol=resumable'],
	])('has the path and query of the provider below the base URL (%s)', (basePath, given) => {
		const own =
			'https://here.example/signalbox/proxy/g/upload/v1beta/files?upload_id=a-b_1&upload_protocol=resumable'
		expect(moved([origin + given], basePath)).toEqual({
			...{ headers: ['X-Goog-Upload-URL', own, 'X-Other', '1'], objects: ['uploads/a-b_1'] },
		})
	})

	it('is without the key of the connection', () => {
		const answer = moved([`${origin}/upload/v1beta/files?key=AIza-stored&upload_id=a`])
		expect(answer).toMatchObject({ objects: ['uploads/a'] })
		expect(JSON.stringify(answer)).not.toContain('AIza')
	})

	it.each([
		...['https://provider.example.evil.example', 'http://provider.example', 'https://provider.example:444'],
		...['https://evil.example', 'https://user:x@provider.example', '//evil.example', ''],
	])('is refused at %s, also beside a good one', (elsewhere) => {
		const path = '/upload/v1beta/files?upload_id=a'
		expect(moved([elsewhere + path])).toBeInstanceOf(Problem)
		expect(moved([origin + path, elsewhere + path])).toMatchObject({ status: 502 })
	})

	it.each([
		...['/upload/v1beta/files', '/upload/v1beta/files?upload_id=a&upload_id=b', '/v1beta/files?upload_id=a'],
		...['/other/upload/v1beta/files?upload_id=a', '/upload/v1beta/files/../x?upload_id=a'],
		`/upload/v1beta/files?upload_id=${'a'.repeat(513)}`,
	])('is refused if it is not one upload: %s', (path) => {
		expect(moved([origin + path])).toMatchObject({ status: 502 })
	})

	it('is refused outside the base URL', () => {
		expect(moved([`${origin}/upload/v1beta/files?upload_id=a`], '/deep')).toMatchObject({ status: 502 })
	})

	it('is checked with a version in front of the path too', () => {
		const path = 'v1/upload/v1beta/files'
		expect(moved([`${origin}/upload/v1beta/files?upload_id=a`], '/', path)).toMatchObject({
			objects: ['uploads/a'],
		})
	})
})
