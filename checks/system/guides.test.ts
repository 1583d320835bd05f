import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findSandbox } from '../../server/src/servers/programs/index.ts'
import { readGuide } from '../guides/read-guide.ts'
import { runGuide } from '../guides/run-guide.ts'
import { type GuideStage, openGuideStage } from '../guides/stage.ts'
import { root } from '../src/source-files.ts'
import { installAgents } from './install-stock.ts'

const agents = installAgents()

describe('what the guides say works, word for word', () => {
	let stage: GuideStage
	const follow = (page: string) => runGuide(readGuide(join(root, 'docs/guides', `${page}.md`)), stage.run)
	beforeAll(async () => {
		stage = await openGuideStage(agents ?? {})
		await follow('README')
	})
	afterAll(() => stage?.stop())

	// Without a registry there are no coding agents; the other guides are tried all the same.
	it.skipIf(!agents)('connect Claude Code', () => follow('connect-claude-code'))
	it.skipIf(!agents)('connect Codex', () => follow('connect-codex'))
	it('add a remote server with OAuth', () => follow('remote-server-with-oauth'))
	// The sentence that the guide shows names the sandbox; without one it says so.
	it.skipIf(!findSandbox().driver)('host a stdio server', () => follow('host-a-stdio-server'))
	it('send telemetry', () => follow('send-telemetry'))
	it('proxy a model', () => follow('proxy-a-model'))
	it('find which agent spent this', () => follow('who-spent-this'))
	it('a server misbehaves', () => follow('a-server-misbehaves'))
})
