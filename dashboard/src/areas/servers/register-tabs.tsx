import { useState } from 'react'
import { Tabs } from '../../ui/tabs.tsx'
import { CommandForm } from './command-form.tsx'
import { ImportForm } from './import-form.tsx'
import { RegisterForm, type RegisterFormProps } from './register-form.tsx'

/** The three ways to register: a URL, a program, or the configuration of a client. */
export function RegisterTabs(props: RegisterFormProps) {
	const [way, setWay] = useState('url')
	return (
		<Tabs
			label="Way to register"
			value={way}
			onChange={setWay}
			tabs={[
				{ value: 'url', label: 'Remote URL', content: <RegisterForm {...props} /> },
				{ value: 'command', label: 'Program (command)', content: <CommandForm {...props} /> },
				{ value: 'import', label: 'Paste mcp.json', content: <ImportForm onCancel={props.onCancel} /> },
			]}
		/>
	)
}
