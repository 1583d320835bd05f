import { fileURLToPath } from 'node:url'

/** The far end as a program. */
export const stdioServer = fileURLToPath(new URL('../stdio-server.ts', import.meta.url))

/** Another gateway in front of the same far end, started as its documentation says, with its own defaults. */
export interface Peer {
	/** Name of the package. */
	name: string
	command: string
	/** The kind of upstream it supports: a program, or a server over HTTP. */
	upstream: 'stdio' | 'http'
	args(port: number): string[]
	environment(port: number, upstreamUrl: string): Record<string, string>
}

export const peers: readonly Peer[] = [
	{
		name: '@civic/passthrough-mcp-server',
		command: 'passthrough-mcp-server',
		upstream: 'http',
		args: () => [],
		environment: (port, upstreamUrl) => ({
			TARGET_SERVER_URL: upstreamUrl,
			TARGET_SERVER_TRANSPORT: 'httpStream',
			PORT: String(port),
		}),
	},
	{
		name: 'mcp-proxy',
		command: 'mcp-proxy',
		upstream: 'stdio',
		args: (port) => {
			const listen = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream']
			return [...listen, '--', process.execPath, stdioServer]
		},
		environment: () => ({}),
	},
	{
		name: 'supergateway',
		command: 'supergateway',
		upstream: 'stdio',
		args: (port) => {
			const program = ['--stdio', `${process.execPath} ${stdioServer}`]
			const listen = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)]
			return [...program, ...listen, '--logLevel', 'none']
		},
		environment: () => ({}),
	},
]
