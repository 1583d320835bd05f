const usualPorts = new Set([80, 443])

/** Whether a list of `host`, `*.host`, `host:port` names a target. Only names: what they resolve to is judged when connecting. */
export function isAllowedHost(list: readonly string[], host: string, port: number): boolean {
	const name = host.toLowerCase().replace(/\.$/, '')
	return list.some((entry) => {
		const [pattern = '', ownPort] = entry.toLowerCase().split(':')
		if (ownPort === undefined ? !usualPorts.has(port) : Number(ownPort) !== port) return false
		return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
	})
}
