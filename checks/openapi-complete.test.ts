import { operationGroups, toOpenApi } from '@signalbox/contract'
import { expect, it } from 'vitest'
import { readSource, repositoryFiles } from './src/source-files.ts'

const document = toOpenApi(operationGroups, { version: '1', serverUrl: 'http://box.test' })

it('every path of the platform API in the server’s sources is in the OpenAPI document', () => {
	const named = repositoryFiles('.ts')
		.filter((path) => /^(server|contract)\/src\//.test(path) && !/test|cli\/|demo\/|api\.gen/.test(path))
		.flatMap((path) =>
			[...readSource(path).matchAll(/^\t+path: '(\/(?:v1|auth|agent)\/[^'*]+)'/gm)].map(
				([, at]) => at as string,
			),
		)
	const otlp = (path: string) => /^\/v1\/(traces|metrics|logs)$/.test(path)
	expect(named.filter((path) => !otlp(path) && !(path in document.paths))).toEqual([])
	expect(document.paths['/v1/telemetry/live']?.get).toBeDefined()
	for (const path of ['/v1/events', '/v1/telemetry/spans/export', '/v1/audit/export', '/v1/spotlight/export'])
		expect(document.paths[path]?.get, path).toMatchObject({ parameters: expect.any(Array) })
})
