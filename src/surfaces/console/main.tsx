import '@mantine/core/styles.css';
import './console.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// No font of elsewhere, and no style in the page: the policy of the page allows files of the gateway alone.
const theme = createTheme({ primaryColor: 'blue', defaultRadius: 'sm' });

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <App />
      </MantineProvider>
    </StrictMode>,
  );
