import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../server/src/program/generate/generate.ts'

const root = new URL('../', import.meta.url)

test('the generated files match the contract (otherwise run `npm run generate`)', async () => {
	for (const [path, text] of Object.entries(await generatedFiles())) {
		expect(readFileSync(new URL(path, root), 'utf8') === text, `${path} has drifted`).toBe(true)
	}
})
