import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findSandbox } from '../../server/src/servers/programs/index.ts'
import { readGuide } from '../guides/read-guide.ts'
import { runGuide } from '../guides/run-guide.ts'
import { type GuideStage, openGuideStage } from '../guides/stage.ts'
import { root } from '../src/source-files.ts'
import { installAgents } from './install-stock.ts'

const agents = installAgents()

describe('the guides work exactly as written', () => {
	let stage: GuideStage
	const follow = (page: string) => runGuide(readGuide(join(root, 'docs/guides', `${page}.md`)), stage.run)
	beforeAll(async () => {
		stage = await openGuideStage(agents ?? {})
		await follow('README')
	})
	afterAll(() => stage?.stop())

	// Without access to a registry the coding agents cannot be installed; the other guides still run.
	it.skipIf(!agents)('connect Claude Code', () => follow('connect-claude-code'))
	it.skipIf(!agents)('connect Codex', () => follow('connect-codex'))
	it('add a remote server with OAuth', () => follow('remote-server-with-oauth'))
	// The guide shows the output of a machine with a sandbox, so it needs one.
	it.skipIf(!findSandbox().driver)('host a stdio server', () => follow('host-a-stdio-server'))
	it('send telemetry', () => follow('send-telemetry'))
	it('proxy a model', () => follow('proxy-a-model'))
	it('find which agent spent this', () => follow('who-spent-this'))
	it('a server misbehaves', () => follow('a-server-misbehaves'))
})
