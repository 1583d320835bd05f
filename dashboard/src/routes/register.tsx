import { createFileRoute } from '@tanstack/react-router'
import { RegisterScreen } from '../areas/identity/register-screen.tsx'

export const Route = createFileRoute('/register')({ component: RegisterScreen })
