import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writePage } from '../otlp-conformance/page.ts'
import { trySignalbox } from '../otlp-conformance/try-signalbox.ts'
import { root } from '../src/source-files.ts'

it('the receiver passes every OTLP case, and docs/otlp-conformance.md is up to date', async () => {
	const results = await trySignalbox()
	expect(
		results.filter(({ failure }) => failure !== null).map(({ tried, failure }) => `${tried.id}: ${failure}`),
	).toEqual([])
	expect(results.length).toBeGreaterThan(170)
	expect(readFileSync(join(root, 'docs/otlp-conformance.md'), 'utf8')).toBe(writePage(results))
}, 120_000)
