// What all pages do by script. Everything works without it, but does not update itself.
"use strict";
