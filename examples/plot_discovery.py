import matplotlib.pyplot as plot
import pandas
import plysmith

plysmith.run("discover", "breakthrough", quick=True, label="plotted")
features = pandas.DataFrame(plysmith.rows("plotted")).sort_values("solved").tail(20)
plot.figure(figsize=(8, 6))
plot.barh(features["feature"], features["solved"])
plot.xlabel("problems solved")
plot.savefig("discovery.png", bbox_inches="tight")
