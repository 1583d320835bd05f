import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { scope } from './version.ts'

it('prefers options over its own variables, those over the standard ones, and those over the defaults', () => {
	const standard = {
		OTEL_SERVICE_NAME: 'c',
		OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
		OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
	}
	const own = {
		SIGNALBOX_SDK_SERVICE_NAME: 'b',
		SIGNALBOX_SDK_ENDPOINT: 'http://b/',
		SIGNALBOX_SDK_TOKEN: 'tb',
	}
	const options = { serviceName: 'a', endpoint: 'https://a/prefix', token: 'ta' }
	const addresses = [options, {}, {}, {}].map((given, at) => {
		const { serviceName, tracesUrl, headers } = readConfig(
			given,
			at < 2 ? { ...standard, ...own } : at < 3 ? standard : {},
		)
		return [serviceName, tracesUrl, headers]
	})
	expect(addresses).toEqual([
		['a', 'https://a/prefix/v1/traces', { a: '1', authorization: 'Bearer ta' }],
		['b', 'http://b/v1/traces', { a: '1', authorization: 'Bearer tb' }],
		['c', 'http://c/v1/traces', { a: '1' }],
		[null, null, {}],
	])
})

it('explains each wrong value, uses its default and never throws', () => {
	const wrong = { endpoint: 'ftp://x', conventions: 'old', token: 5, capture: { maxLength: 1 } } as never
	const config = readConfig(wrong, { OTEL_BSP_SCHEDULE_DELAY: 'soon' })
	expect(config).toMatchObject({
		tracesUrl: null,
		conventions: 'current',
		delayMs: 1000,
		capture: { maxLength: 8192 },
	})
	expect(config.problems).toHaveLength(5)
	const unusual = { capture: 'all', agent: 5, token: null } as never
	const read = readConfig(unusual, { SIGNALBOX_SDK_DELAY_MS: '0x10', SIGNALBOX_SDK_ENDPOINT: ' http://x ' })
	expect(read).toMatchObject({ tracesUrl: 'http://x/v1/traces', delayMs: 1000 })
	expect(read.problems).toEqual([
		'The option in place of SIGNALBOX_SDK_AGENT is no text (number); it is ignored.',
		'capture must be true, false or an object; nothing is captured.',
		'DELAY_MS or OTEL_BSP_SCHEDULE_DELAY is "0x10"; it must be a number of milliseconds.',
	])
	expect(readConfig({ token: 'two\nlines' }, {}).headers).toEqual({})
})

it('captures nothing that was not requested', () => {
	const asked = (capture: boolean | object | undefined, words = '') => {
		const config = readConfig(capture === undefined ? {} : { capture }, { SIGNALBOX_SDK_CAPTURE: words })
		return [config.capture.arguments, config.capture.results]
	}
	expect(asked(undefined)).toEqual([false, false])
	expect(asked(true)).toEqual([true, true])
	expect(asked({ results: true })).toEqual([false, true])
	expect(asked(undefined, 'arguments')).toEqual([true, false])
	expect(asked(false, 'all')).toEqual([false, false])
})

it('reports the version of its package', () => {
	const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
	expect(scope).toEqual({ name: manifest.name, version: manifest.version })
})
