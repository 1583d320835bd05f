import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort, untilReady } from '../peers/start.ts'
import { onCore } from '../stage.ts'

/** One worker that keeps its connections, buffers no answer and logs no calls. */
const configuration = (port: number, upstream: string) => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
	access_log off;
	client_max_body_size 64m;
	client_body_buffer_size 4m;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path unused;
	uwsgi_temp_path unused;
	scgi_temp_path unused;
	keepalive_requests 1000000;
	upstream far_end { server ${upstream}; keepalive 512; keepalive_requests 1000000; }
	server {
		listen 127.0.0.1:${port};
		location / {
			proxy_pass http://far_end;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
		}
	}
}
`

/** nginx in front of the far end; null if it is not installed on this machine. */
export async function startNginx(
	upstreamUrl: string,
	children: ChildProcess[],
): Promise<{ url: string; pid: number } | null> {
	const binary = findBinary()
	if (binary === null) return null
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-nginx-'))
	for (const name of ['body', 'proxy', 'unused']) mkdirSync(join(folder, name))
	const port = await freePort()
	writeFileSync(join(folder, 'nginx.conf'), configuration(port, new URL(upstreamUrl).host))
	const [first = '', ...rest] = onCore(0)
	const child = spawn(first, [...rest, binary, '-p', folder, '-c', 'nginx.conf'], { stdio: 'ignore' })
	child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
	children.push(child)
	const url = `http://127.0.0.1:${port}`
	await untilReady(() => fetch(url))
	return { url, pid: child.pid as number }
}

/** Many systems install it outside the normal user's PATH. */
function findBinary(): string | null {
	const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
	return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path)) ?? null
}
