import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Done } from './programs.ts'

/** The addresses for a coding agent: Signalbox for its model and tool calls, and a receiver for its own telemetry. */
export interface CodingAgentStage {
	/** URL of Signalbox. */
	url: string
	key: string
	/** URL of the receiver of its telemetry. */
	receiver: string
	/** An empty folder for this agent only. */
	home: string
}

/** A coding agent as its vendor ships it. It calls the model, and the tool `weather` once. */
export interface CodingAgent {
	kind: 'claude-code' | 'codex' | 'gemini-cli'
	packages: readonly string[]
	/** A script below `node_modules` that has to run once after the installation. */
	finish?: string
	start(stage: CodingAgentStage): { command: string; args: string[]; env: Record<string, string> }
	/** What it does in one run. */
	done: Done
}

const asks = 'What is the weather in Paris? Use the tool weather.'

export const codingAgents: readonly CodingAgent[] = [
	{
		kind: 'claude-code',
		packages: ['@anthropic-ai/claude-code@2.1.197'],
		finish: '@anthropic-ai/claude-code/install.cjs',
		start: startClaudeCode,
		done: { models: 2, tools: 1, costNanoUsd: '5880000' },
	},
	{
		kind: 'codex',
		packages: ['@openai/codex@0.169.0'],
		start: startCodex,
		done: { models: 2, tools: 1, costNanoUsd: '2150000' },
	},
	{
		kind: 'gemini-cli',
		packages: ['@google/gemini-cli@0.61.0'],
		start: startGeminiCli,
		done: { models: 2, tools: 1, costNanoUsd: '2150000' },
	},
]

function startClaudeCode({ url, key, receiver, home }: CodingAgentStage) {
	const servers = { weather: { type: 'http', url: `${url}/mcp-key/weather`, headers: bearer(key) } }
	const file = write(home, 'mcp.json', { mcpServers: servers })
	return {
		command: 'claude',
		args: [
			...['-p', asks, '--model', 'claude-sonnet-4-5', '--mcp-config', file, '--strict-mcp-config'],
			...['--allowedTools', 'mcp__weather__weather'],
		],
		env: {
			...{ ANTHROPIC_BASE_URL: `${url}/proxy/anthropic`, ANTHROPIC_API_KEY: key, CLAUDE_CONFIG_DIR: home },
			...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
			...{ CLAUDE_CODE_ENABLE_TELEMETRY: '1', CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1' },
			...{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_LOGS_EXPORTER: 'otlp' },
			...{ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_ENDPOINT: receiver },
		},
	}
}

function startCodex({ url, key, receiver, home }: CodingAgentStage) {
	const config = `model = "gpt-5.1-codex"
model_provider = "signalbox"
[model_providers.signalbox]
name = "Signalbox"
base_url = "${url}/proxy/openai/v1"
env_key = "AGENT_KEY"
wire_api = "responses"
[mcp_servers.weather]
url = "${url}/mcp-key/weather"
bearer_token_env_var = "AGENT_KEY"
[otel]
exporter = { otlp-http = { endpoint = "${receiver}/v1/logs", protocol = "json", headers = {} } }
`
	writeFileSync(join(home, 'config.toml'), config)
	return {
		command: 'codex',
		args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', asks],
		env: { CODEX_HOME: home, AGENT_KEY: key },
	}
}

function startGeminiCli({ url, key, receiver, home }: CodingAgentStage) {
	mkdirSync(join(home, '.gemini'), { recursive: true })
	write(join(home, '.gemini'), 'settings.json', {
		mcpServers: { weather: { httpUrl: `${url}/mcp-key/weather`, headers: bearer(key), trust: true } },
		telemetry: { enabled: true, target: 'local', otlpEndpoint: receiver, otlpProtocol: 'http' },
		security: { auth: { selectedType: 'gemini-api-key' } },
		...{ general: { disableAutoUpdate: true }, privacy: { usageStatisticsEnabled: false } },
	})
	return {
		command: 'gemini',
		args: ['--yolo', '--skip-trust', '-m', 'gemini-2.5-pro', '-p', asks],
		env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: `${url}/proxy/gemini`, GEMINI_CLI_HOME: home },
	}
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

function write(folder: string, name: string, content: object): string {
	const path = join(folder, name)
	writeFileSync(path, JSON.stringify(content))
	return path
}
