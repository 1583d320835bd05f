import type { operations } from '@signalbox/contract/api'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, refuseOvertaken, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Loaded } from './loaded.tsx'
import { PrivateNetworks } from './private-networks.tsx'
import { type SettingName, type Settings, settingsQuery } from './queries.ts'
import { SettingLine } from './setting-line.tsx'

type Change = operations['settings.update']['requestBody']['content']['application/json']

const signups = [
	{ value: 'open', label: 'Anyone' },
	{ value: 'invite', label: 'Invited people' },
	{ value: 'closed', label: 'No one' },
] as const

const switches = [
	{
		name: 'loopback_targets',
		title: 'Upstreams on this machine',
		text: 'Whether servers and model providers may have an address on the machine that runs Signalbox (localhost).',
	},
	{
		name: 'stdio_programs',
		title: 'Hosted stdio servers',
		text: 'Whether servers that Signalbox starts as programs (stdio) may be registered. A workspace also needs permission.',
	},
	{
		name: 'stdio_programs_default',
		title: 'Hosted stdio servers in new workspaces',
		text: 'Whether a new workspace may register them.',
	},
] as const

/** The settings of the instance, with the source of each value. */
export function SettingList() {
	return (
		<Panel flush>
			<Loaded query={useQuery(settingsQuery)}>{(settings) => <Settable settings={settings} />}</Loaded>
		</Panel>
	)
}

function Settable({ settings }: { settings: Settings }) {
	const queries = useQueryClient()
	const change = useMutation({
		mutationFn: async (body: Change) => {
			refuseOvertaken(settings, await unwrap(api.GET('/v1/settings')), body)
			return unwrap(api.PATCH('/v1/settings', { body }))
		},
		onSuccess: async (now) => {
			queries.setQueryData(settingsQuery.queryKey, now)
			toast('Saved')
			await queries.invalidateQueries({ queryKey: ['sign-in-methods'] })
		},
	})
	const set = <N extends keyof Change>(name: N, value: NonNullable<Change[N]>['value']) =>
		change.mutate({ [name]: { value } })
	const isFixed = (name: SettingName) => settings[name].source === 'environment' || change.isPending
	return (
		<ul className="divide-y divide-line">
			<SettingLine
				name="signup"
				title="Who may register"
				text="If not everyone may, only operators create workspaces."
				setting={settings.signup}
				onReset={() => set('signup', null)}
			>
				<Segmented
					label="Who may register"
					disabled={isFixed('signup')}
					value={settings.signup.value}
					options={signups}
					onChange={(value) => set('signup', value)}
				/>
			</SettingLine>
			{switches.map(({ name, title, text }) => (
				<SettingLine
					key={name}
					name={name}
					title={title}
					text={text}
					setting={settings[name]}
					onReset={() => set(name, null)}
				>
					<Switch
						label={title}
						disabled={isFixed(name)}
						checked={settings[name].value}
						onChange={(on) => set(name, on)}
					/>
				</SettingLine>
			))}
			<SettingLine
				name="private_networks"
				title="Private networks"
				text="Private networks where upstreams are allowed, one per line."
				setting={settings.private_networks}
				onReset={() => set('private_networks', null)}
			>
				<PrivateNetworks
					value={settings.private_networks.value}
					disabled={isFixed('private_networks')}
					onSave={(value) => set('private_networks', value)}
				/>
			</SettingLine>
			{change.error && (
				<li className="px-4 pb-4">
					<InlineError error={change.error} />
				</li>
			)}
		</ul>
	)
}
